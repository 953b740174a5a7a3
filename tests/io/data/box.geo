SetFactory("Built-in");
L=1; 
Point(1)={0,0,0,1};Point(2)={1,0,0,1};Point(3)={1,1,0,1};Point(4)={0,1,0,1};
Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};
Line Loop(5)={1,2,3,4};Plane Surface(6)={5};
Extrude {0,0,1} { Surface{6}; }
Mesh.CharacteristicLengthMax=0.6;
Physical Volume("body",10)={1};
Physical Surface("bottom",20)={6};
Physical Surface(21)={28};
Physical Line("edge",30)={1};
Physical Point("corner",40)={1};
