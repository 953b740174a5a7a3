// A block with a round hole for Gmsh: gmsh -3 box.geo -o block.msh
// Physical groups become sets: <fix><set name="left"/></fix> holds the left side.
SetFactory("OpenCASCADE");
size = DefineNumber[0.05, Name "Size of the elements, m"];
Box(1) = {0, 0, 0, 1, 0.3, 0.2};
Cylinder(2) = {0.6, 0.15, -0.1, 0, 0, 0.4, 0.08};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.CharacteristicLengthMin = 0.5 * size;
Mesh.CharacteristicLengthMax = size;
Physical Volume("block") = {3};
e = 1e-3;
Physical Surface("left") = Surface In BoundingBox{-e, -e, -e, e, 0.3 + e, 0.2 + e};
Physical Surface("right") = Surface In BoundingBox{1 - e, -e, -e, 1 + e, 0.3 + e, 0.2 + e};
Physical Surface("hole") = Surface In BoundingBox{0.52 - e, 0.07 - e, -e, 0.68 + e, 0.23 + e, 0.2 + e};
