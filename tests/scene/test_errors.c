/* What a user reads when a scene is wrong: every message whole, with its line, and all at once. */
#include "scene_test.h"

#include "core/memory.h"
#include "scene/schema.h"

/* The good scene with one edit gives exactly one error. A star ends what is compared: behind it
 * stands a list that grows with its family. */
typedef struct bad_scene {
  const char *from, *to, *message;
} bad_scene;

#define WORLD        "<world dt=\"0.01\" duration=\"1\" gravity=\"0 -9.81 0\"/>"
#define BOX          "<box size=\"1 0.25 0.25\" cells=\"4 1 1\" element=\"tet\"/>"
#define FIX          "<fix axes=\"xyz\"><set name=\"x-min\"/></fix>"
#define LAW          "law=\"hooke\" young=\"1e6\" poisson=\"0.3\""
#define MATERIAL_END "density=\"1000\"/>"
#define REGION       "<box min=\"0.9 -1 -1\"/>"

/* Behind the world, so in line 2. */
#define OBSTACLE(INSIDE) WORLD, WORLD "<obstacle name=\"o\" " INSIDE

static const bad_scene bad_scenes[] = {
    {OBSTACLE("shape=\"sphere\" friction=\"-1\"/>"),
     "bar.xml:2: obstacle \"o\": friction = -1 must lie between 0 and 100"},
    {OBSTACLE("shape=\"sphere\" radius=\"0\"/>"),
     "bar.xml:2: obstacle \"o\": radius = 0 must lie between 1e-09 and 1e+09 m"},
    {OBSTACLE("shape=\"mesh\"/>"),
     "bar.xml:2: obstacle \"o\": a shape of triangles needs mesh=\"...\""},
    {OBSTACLE("shape=\"union\"/>"),
     "bar.xml:2: obstacle \"o\": a union of 0 shapes is none; put at least 1 shapes inside"},
    {OBSTACLE("shape=\"sphere\"><box/></obstacle>"),
     "bar.xml:2: obstacle \"o\": a sphere has no parts; use a union to put shapes together, or "
     "remove them"},
    {OBSTACLE("shape=\"sphere\"><motion by=\"keyframes\"/></obstacle>"),
     "bar.xml:2: obstacle \"o\": a motion by keyframes needs at least one key"},
    {OBSTACLE("shape=\"sphere\" friction=\"0.5\" static-friction=\"0.4\"/>"),
     "bar.xml:2: obstacle \"o\": static-friction = 0.4 must be at least the friction of what "
     "slides, 0.5"},
    {" dt=\"0.01\"", "",
     "bar.xml:2: world: dt is missing; add dt=\"...\" (s: time step; auto: 1/60 s and "
     "substeps=\"auto\")"},
    {" dt=\"0.01\"", "",
     "bar.xml:2: world: dt is missing; add dt=\"...\" (s: time step; auto: 1/60 s and "
     "substeps=\"auto\")"},
    {"dt=\"0.01\"", "dt=\"-1\"", "bar.xml:2: world: dt = -1 must lie between 1e-09 and 1e+06 s"},
    {"dt=\"0.01\"", "dt=\"0\"", "bar.xml:2: world: dt = 0 must lie between 1e-09 and 1e+06 s"},
    {"dt=\"0.01\"", "dt=\"2\"",
     "bar.xml:2: world: dt = 2 must not be longer than the duration of 1 s"},
    {"dt=\"0.01\"", "dt=\"0.01\" tolerance=\"-1\"",
     "bar.xml:2: world: tolerance = -1 must lie between 0 and 1e+06 m"},
    {"dt=\"0.01\"", "dt=\"fast\"", "bar.xml:2: world: dt = \"fast\" must be a number"},
    {"dt=\"0.01\"", "dt=\"1 2\"", "bar.xml:2: world: dt = \"1 2\" must be a number"},
    {"dt=\"0.01\"", "dt=\"nan\"", "bar.xml:2: world: dt = nan must lie between 1e-09 and 1e+06 s"},
    {"dt=\"0.01\"", "dt=\"0.01\" td=\"0.02\"",
     "bar.xml:2: world: unknown attribute \"td\"; there is: dt, duration, gravity, halvings, "
     "budget, budget-ms, real-time, tolerance, substeps, unstable, start"},
    {"duration=\"1\"", "duration=\"-1\"",
     "bar.xml:2: world: duration = -1 must lie between 0 and 1e+09 s"},
    {"gravity=\"0 -9.81 0\"", "gravity=\"-9.81\"",
     "bar.xml:2: world: gravity = \"-9.81\" must be three numbers separated by blanks"},
    {"gravity=\"0 -9.81 0\"", "gravity=\"0 -9.81 0 0\"",
     "bar.xml:2: world: gravity = \"0 -9.81 0 0\" must be three numbers separated by blanks"},
    {"<body name=\"bar\"", "<body name=\"bar\" texture=\"a.png\"",
     "bar.xml:7: body \"bar\": a.png: cannot be opened: No such file or directory"},
    {"gravity=\"0 -9.81 0\"", "gravity=\"vulcan\"",
     "bar.xml:2: world: gravity=\"vulcan\" is neither three numbers nor one of mercury, venus, "
     "earth, moon, mars, pluto, sun, jupiter, saturn, uranus, neptune, as their surfaces have it, "
     "along -z"},
    {WORLD, "", "bar.xml:1: there is no <world>; add <world dt=\"0.01\" duration=\"1\"/>"},
    {WORLD, WORLD "\n" WORLD, "bar.xml:3: world: only one can stand here; the first is on line 2"},
    {WORLD, "<wrold dt=\"0.01\" duration=\"1\"/>" WORLD,
     "bar.xml:2: unknown element \"wrold\"; did you mean \"world\"?"},
    {WORLD, WORLD "gravity is off",
     "bar.xml:1: the text \"gravity is off\" has no meaning here; values are attributes"},
    {WORLD, "<world dt=\"0.01\" duration=\"1\"><fix/></world>",
     "bar.xml:2: world: <fix> cannot stand here; it belongs in <body>"},
    {WORLD, WORLD "<fix/>", "bar.xml:2: <fix> cannot stand here; it belongs in <body>"},
    {"implicit-euler", "implict-euler",
     "bar.xml:3: integrator: unknown method \"implict-euler\"; did you mean \"implicit-euler\"?"},
    {"implicit-euler", "runge-kutta",
     "bar.xml:3: integrator: unknown method \"runge-kutta\"; there is: *"},
    {"method=\"implicit-euler\"", "method=\"explicit-euler\" newton=\"3\"",
     "bar.xml:3: integrator: newton belongs to method=\"implicit-euler\", not to "
     "\"explicit-euler\"; remove it"},
    {"method=\"implicit-euler\"", "method=\"static\" load-steps=\"1.5\"",
     "bar.xml:3: integrator: load-steps = 1.5 must be a whole number"},
    {"\"cg\"", "\"gc\"", "bar.xml:4: solver: unknown method \"gc\"; there is: *"},
    {"block-diagonal", "block", "bar.xml:4: solver: unknown preconditioner \"block\"; there is: *"},
    {"tolerance=\"1e-6\"", "tolerance=\"0\"",
     "bar.xml:4: solver: tolerance = 0 must lie between 1e-15 and 0.5"},
    {"tolerance=\"1e-6\"", "tolerence=\"1e-6\"",
     "bar.xml:4: solver: unknown attribute \"tolerence\"; did you mean \"tolerance\"?"},
    {"poisson=\"0.3\"", "poisson=\"0.7\"",
     "bar.xml:5: material \"rubber\": poisson = 0.7 must lie between -0.99 and 0.5"},
    {"poisson=\"0.3\"", "poisson=\"0.5\"",
     "bar.xml:5: material \"rubber\": poisson = 0.5 leaves no finite bulk modulus; take at most "
     "0.4999 with elements that do not lock (hexahedra, tet10), or a law that takes bulk, such as "
     "mooney-rivlin"},
    {"law=\"hooke\"", "law=\"ogden\" mu1=\"1e5\"",
     "bar.xml:5: material \"rubber\": ogden has two sets of constants; give mu1, alpha1 and bulk, "
     "or young and poisson, not both"},
    {LAW, "law=\"ogden\" mu1=\"1e5\" alpha1=\"0\" bulk=\"1e6\"",
     "bar.xml:5: material \"rubber\": alpha1 of ogden is 0; give an exponent other than 0 with mu1 "
     "= 100000"},
    {LAW, "law=\"ogden\" mu1=\"1e5\" alpha1=\"-2\" bulk=\"1e6\"",
     "bar.xml:5: material \"rubber\": ogden gives the shear modulus -100000 Pa at rest; change "
     "mu1, "
     "alpha1 so that it is above 0"},
    {LAW, "law=\"reduced-polynomial\" c1=\"1e5\"",
     "bar.xml:5: material \"rubber\": reduced-polynomial has no bulk; give c1 and bulk, or young "
     "and poisson"},
    {LAW, "law=\"orthotropic\" e1=\"1e3\" e2=\"1e6\" nu12=\"0.9\"",
     "bar.xml:5: material \"rubber\": orthotropic with nu12 = 0.9, nu13 = 0, nu23 = 0 has a "
     "compliance that is not positive; take smaller ratios, at least |nu_ij| < sqrt(E_i/E_j)"},
    {LAW, "law=\"fung\" a12=\"3\"",
     "bar.xml:5: material \"rubber\": fung with a11 = 1, a22 = 1, a33 = 1 has a matrix a that is "
     "not positive; take a12, a13, a23 smaller and the others above 0"},
    {MATERIAL_END, "><fibres kappa=\"0.4\"/></material>",
     "bar.xml:5: material \"rubber\", fibres: kappa = 0.4 must lie between 0 and 0.333333"},
    {MATERIAL_END, "><fibres direction=\"0 0 0\"/></material>",
     "bar.xml:5: material \"rubber\", fibres: direction = \"0 0 0\" has no direction"},
    {MATERIAL_END, "><limit most=\"0.9\"/></material>",
     "bar.xml:5: material \"rubber\", limit: most = 0.9 must lie between 1.0001 and 1000"},
    {MATERIAL_END, "><orientation first=\"1 0 0\" second=\"2 0 0\"/></material>",
     "bar.xml:5: material \"rubber\": first = 1 0 0 and second = 2 0 0 span no plane; give two "
     "directions that are not parallel"},
    {"young=\"1e6\"", "yuong=\"1e6\" young=\"1e6\"",
     "bar.xml:5: material \"rubber\": unknown attribute \"yuong\"; did you mean \"young\"?"},
    {"young=\"1e6\" ", "",
     "bar.xml:5: material \"rubber\": hooke has poisson only; give young and poisson, or lambda "
     "and mu"},
    {"young=\"1e6\"", "young=\"1e6\" mu=\"1e5\"",
     "bar.xml:5: material \"rubber\": hooke has young, poisson and mu; give young and poisson, or "
     "lambda and mu"},
    {"density=\"1000\"", "density=\"0\"",
     "bar.xml:5: material \"rubber\": density = 0 must lie between 1e-06 and 1e+09 kg/m^3"},
    {"density=\"1000\"", "viscous-mu=\"-1\"",
     "bar.xml:5: material \"rubber\": viscous-mu = -1 must lie between 0 and 1e+15 Pa s"},
    {"law=\"hooke\"", "law=\"hook\"",
     "bar.xml:5: material \"rubber\": unknown law \"hook\"; did you mean \"hooke\"?"},
    {"name=\"rubber\" ", "",
     "bar.xml:5: material: name is missing; add name=\"...\" (name: that bodies call it by)"},
    {"name=\"rubber\"", "name=\"rub[b]er\"",
     "bar.xml:5: material \"rub[b]er\": name = \"rub[b]er\" must do without brackets, quotes, "
     "commas and line ends"},
    {"  <mesh", "  <material name=\"rubber\" young=\"1\" poisson=\"0\"/><mesh",
     "bar.xml:6: material \"rubber\": the name is used on line 5 already"},
    {BOX, "<shape method=\"voxels\" size=\"50\"><sphere/></shape>",
     "bar.xml:6: mesh \"bar\", shape: a size of 50 m is larger than the whole shape of 1 m; make "
     "it "
     "smaller"},
    {BOX, "", "bar.xml:6: mesh \"bar\": needs file=\"...\" or a shape such as <box .../>"},
    {BOX, BOX "<sphere/>",
     "bar.xml:6: mesh \"bar\", sphere: only one can stand here; the first is on line 6"},
    {"<mesh name=\"bar\">", "<mesh name=\"bar\" file=\"bar.msh\">",
     "bar.xml:6: mesh \"bar\": has both file=\"...\" and a shape; keep one of them"},
    {BOX, "<quader/>", "bar.xml:6: mesh \"bar\": unknown element \"quader\"; there is: *"},
    {BOX, "<bocks/>",
     "bar.xml:6: mesh \"bar\": unknown element \"bocks\"; did you mean \"block\"?"},
    {BOX, "<box size=\"1 0 1\"/>",
     "bar.xml:6: mesh \"bar\", box: size = 0 must lie between 1e-09 and 1e+09 m"},
    {BOX, "<box cells=\"4 1.5 1\"/>",
     "bar.xml:6: mesh \"bar\", box: cells = 1.5 must be a whole number"},
    {BOX, "<box cells=\"4096 4096 4096\"/>",
     "bar.xml:6: mesh \"bar\": the mesh has 68769820673 nodes, more than the limit of 50000000; "
     "take larger cells"},
    {BOX, "<box element=\"tetra\"/>",
     "bar.xml:6: mesh \"bar\", box: unknown element \"tetra\"; did you mean \"tet\"?"},
    {"<mesh name=\"bar\">" BOX, "<mesh name=\"bar\" file=\"no.msh\">",
     "bar.xml:6: mesh \"bar\": no.msh: cannot be opened: No such file or directory"},
    {"<mesh name=\"bar\">" BOX, "<mesh name=\"bar\" file=\"no.stl\">",
     "bar.xml:6: mesh \"bar\": no.stl: cannot be opened: No such file or directory"},
    {"<mesh name=\"bar\">" BOX, "<mesh name=\"bar\" file=\"/etc/hostname\">",
     "bar.xml:6: mesh \"bar\": file = \"/etc/hostname\" lies outside of the scene's folder; move "
     "it there or allow it with --allow-path"},
    {"model=\"fem\"", "model=\"jelly\"",
     "bar.xml:7: body \"bar\": unknown model \"jelly\"; there is: *"},
    {"mesh=\"bar\"", "mesh=\"baar\"",
     "bar.xml:7: body \"bar\": unknown mesh \"baar\"; did you mean \"bar\"?"},
    {"material=\"rubber\"", "material=\"steel\"",
     "bar.xml:7: body \"bar\": unknown material \"steel\"; there is: rubber"},
    {"mesh=\"bar\" ", "",
     "bar.xml:7: body \"bar\": mesh is missing; add mesh=\"...\" (name: its shape at rest)"},
    {"strain=\"corotated\"", "strain=\"corrotated\"",
     "bar.xml:7: body \"bar\": unknown strain \"corrotated\"; did you mean \"corotated\"?"},
    {"strain=\"corotated\"", "velocity=\"1 0\"",
     "bar.xml:7: body \"bar\": velocity = \"1 0\" must be three numbers separated by blanks"},
    {FIX, FIX "<map by=\"ramp\" from=\"0 0 0\"/>",
     "bar.xml:8: body \"bar\", map: a ramp needs from and to"},
    {FIX, FIX "<map by=\"image\"/>",
     "bar.xml:8: body \"bar\", map: by=\"image\" needs an image; name its file"},
    {FIX, FIX "<map by=\"radial\" outer=\"1\" inner=\"2\"/>",
     "bar.xml:8: body \"bar\", map: outer = 1 must be above inner = 2 m"},
    {FIX, FIX "<part material=\"bone\"><all/></part>",
     "bar.xml:8: body \"bar\", part: unknown material \"bone\"; there is: *"},
    {FIX, "<fix/>", "bar.xml:8: body \"bar\", fix: a region is missing; put one of <box>*"},
    {FIX, "<fix axes=\"xw\"><all/></fix>",
     "bar.xml:8: body \"bar\", fix: axes = \"xw\" must be some of the letters xyz, each at most "
     "once"},
    {FIX, "<fix axes=\"\"><all/></fix>",
     "bar.xml:8: body \"bar\", fix: axes = \"\" must be some of the letters xyz, each at most "
     "once"},
    {FIX, "<fix><set name=\"x-mim\"/></fix>",
     "bar.xml:8: body \"bar\", fix: unknown set \"x-mim\"; did you mean \"x-min\"?"},
    {FIX, "<fix><set/></fix>",
     "bar.xml:8: body \"bar\", fix, set: name is missing; add name=\"...\" (text: of the set, as "
     "in the mesh)"},
    {FIX, "<fix><sphere centre=\"9 9 9\" radius=\"0.1\"/></fix>",
     "bar.xml:8: body \"bar\", fix: the region holds no node of body \"bar\""},
    {FIX, "<fix><sphere/></fix>", "bar.xml:8: body \"bar\", fix, sphere: radius is missing"},
    {FIX, "<fix><cube/></fix>",
     "bar.xml:8: body \"bar\", fix: unknown element \"cube\"; there is: *"},
    {FIX, "<fix><box min=\"1 0 0\" max=\"0 1 1\"/></fix>",
     "bar.xml:8: body \"bar\", fix, box: min = 1 must not exceed max = 0 along x"},
    {FIX, "<move axis=\"0 0 0\" angle=\"90\"><all/></move>",
     "bar.xml:8: body \"bar\", move: axis = \"0 0 0\" has no direction"},
    {FIX, "<move angle=\"90\" ramp=\"0 0, 1\"><all/></move>",
     "bar.xml:8: body \"bar\", move: ramp = \"0 0, 1\" must be pairs of time and factor, separated "
     "by commas, for example \"0 0, 0.5 1\""},
    {"<force", "<froce/><force",
     "bar.xml:9: body \"bar\": unknown element \"froce\"; did you mean \"force\"?"},
    {"value=\"0 1 0\"", "value=\"0 1\"",
     "bar.xml:9: body \"bar\", force: value = \"0 1\" must be three numbers separated by blanks"},
    {"0 0, 0.5 1", "0 0, 0 1",
     "bar.xml:9: body \"bar\", force: ramp: time 0 must be later than 0 before it"},
    {"0 0, 0.5 1", "0 0; 0.5 1",
     "bar.xml:9: body \"bar\", force: ramp = \"0 0; 0.5 1\" must be pairs of time and factor, "
     "separated by commas, for example \"0 0, 0.5 1\""},
    {REGION, "<box min=\"2 0 0\"/>",
     "bar.xml:9: body \"bar\", force: the region holds no node of body \"bar\""},
    {"    <force",
     "    <pressure value=\"1\"><sphere centre=\"0.5 0.125 0.125\" "
     "radius=\"0.01\"/></pressure><force",
     "bar.xml:9: body \"bar\", pressure: the region holds no face of body \"bar\""},
    {"body=\"bar\"", "body=\"bra\"",
     "bar.xml:11: probe \"tip\": unknown body \"bra\"; did you mean \"bar\"?"},
    {" at=\"1 0.125 0.125\"", "",
     "bar.xml:11: probe \"tip\": at is missing; add at=\"x y z\", a point of the body at rest"},
    {"quantity=\"displacement\"", "quantity=\"temperature\"",
     "bar.xml:11: probe \"tip\": unknown quantity \"temperature\"; there is: *"},
    {"quantity=\"displacement\"", "quantity=\"displacment\"",
     "bar.xml:11: probe \"tip\": unknown quantity \"displacment\"; did you mean \"displacement\"?"},
    {"  <probe",
     "  <body name=\"two\" mesh=\"bar\" material=\"rubber\"/><probe name=\"a\" at=\"0 0 "
     "0\"/>\n<probe",
     "bar.xml:11: probe \"a\": body is missing; there are 2 bodies to choose from"},
    {"name=\"tip\" ", "",
     "bar.xml:11: probe: name is missing; add name=\"...\" (name: of the column in probes.csv)"},
    {"every=\"0.1\"", "every=\"0\"",
     "bar.xml:12: output: every = 0 must lie between 1e-09 and 1e+09 s"},
    {"format=\"vtu\"", "format=\"vtx\"",
     "bar.xml:12: output: unknown format \"vtx\"; did you mean \"vtu\"?"},
    {"format=\"vtu\"", "format=\"glb\" shading=\"soft\"",
     "bar.xml:12: output: unknown shading \"soft\"; there is: smooth, flat"},
    {"format=\"vtu\"", "format=\"vtu\" shading=\"flat\"",
     "bar.xml:12: output: shading belongs to format=\"glb\", not to \"vtu\"; remove it"},
    {"colour=\"displacement\"", "colour=\"red\"",
     "bar.xml:13: view: unknown colour \"red\"; there is: *"},
    {"up=\"0 1 0\"", "up=\"0 0 5\"",
     "bar.xml:13: view: direction and up are parallel; turn one of them"},
    {"direction=\"0 0 -1\"", "direction=\"0 0 0\"",
     "bar.xml:13: view: direction = \"0 0 0\" has no direction"},
    {FIX, FIX "<attach to=\"bar\"><set name=\"x-max\"/></attach>",
     "bar.xml:8: body \"bar\", attach: body \"bar\" cannot be attached to itself; name another "
     "body"},
    {FIX, FIX "<attach to=\"wall\"><set name=\"x-max\"/></attach>",
     "bar.xml:8: body \"bar\", attach: unknown body \"wall\"; there is: bar"},
    {FIX, FIX "<attach><set name=\"x-max\"/></attach>",
     "bar.xml:8: body \"bar\", attach: attached to nothing; give to, another body, or obstacle"},
    {FIX, FIX "<attach to=\"bar\" frame=\"1.5\"/>",
     "bar.xml:8: body \"bar\", attach: frame = 1.5 must be a whole number"},
    {FIX, "<frame at=\"0 0 0\"/>\n<frame at=\"0 2.25 0\"/>",
     "bar.xml:9: body \"bar\", frame: frame 2 at (0, 2.25, 0) lies 2 m outside the body; put it "
     "inside"},
    {FIX, "<frame at=\"0 0 0\"/>\n\n<frame at=\"0 0 0\"/>",
     "bar.xml:10: body \"bar\", frame: frames 1 and 2 both stand at (0, 0, 0); remove one or take "
     "fewer"},
    {"</pliant>", "<view/></pliant>",
     "bar.xml:14: view: only one can stand here; the first is on line 13"},
};

static int is_expected(const char *text, const char *expected)
{
  size_t length = strlen(expected);
  if (length && expected[length - 1] == '*') return strncmp(text, expected, length - 1) == 0;
  return strcmp(text, expected) == 0;
}

enum { BAD_COUNT = sizeof bad_scenes / sizeof *bad_scenes };

static pl_status load(const pl_scene_def *def, const char *text, pl_error *error)
{
  pl_scene *scene = NULL;
  pl_status status = pl_scene_load_memory(def, text, strlen(text), &scene, error);
  pl_scene_destroy(scene);
  return status;
}

TEST(every_message_is_one_clear_sentence)
{
  CHECK(BAD_COUNT >= 40);
  for (int i = 0; i < BAD_COUNT; i++) {
    messages kept;
    pl_scene_def def = quiet_def("bar.xml", &kept);
    char *text = edited(good_scene, bad_scenes[i].from, bad_scenes[i].to);
    pl_error error = {0};
    pl_status status = load(&def, text, &error);
    char first[MESSAGE_ROOM];
    pl_error_text(&error, first, sizeof first);
    int good = status != PL_OK && status == error.code && kept.errors == 1 &&
               is_expected(first, bad_scenes[i].message) && strcmp(first, kept.text[0]) == 0;
    if (!good) {
      printf("  case %d, %s -> %s\n    expected: %s\n", i, bad_scenes[i].from, bad_scenes[i].to,
             bad_scenes[i].message);
      for (int k = 0; k < kept.errors && k < MOST_MESSAGES; k++)
        printf("    got:      %s\n", kept.text[k]);
    }
    CHECK(good);
    free(text);
  }
}

static void check_messages(const char *text, const char *const *expected)
{
  messages kept;
  pl_scene_def def = quiet_def("bar.xml", &kept);
  CHECK(load(&def, text, NULL) != PL_OK);
  int count = 0;
  while (expected[count]) count++;
  CHECK(kept.errors == count);
  for (int i = 0; i < kept.errors && i < MOST_MESSAGES; i++) {
    if (i < count && is_expected(kept.text[i], expected[i])) continue;
    printf("  expected: %s\n  got:      %s\n", i < count ? expected[i] : "nothing", kept.text[i]);
    test_failures++;
  }
}

TEST(all_errors_are_told_at_once_and_none_follows_from_another)
{
  check_messages(
      "<pliant>\n"
      "<world dt=\"0\" gravity=\"0 0\"/>\n"
      "<material name=\"rubber\" young=\"1e6\" poisson=\"0.7\"/>\n"
      "<materiel name=\"steel\" young=\"1e6\" poisson=\"0.3\"/>\n"
      "<material nmae=\"wood\" young=\"1e6\" poisson=\"0.3\"/>\n"
      "<mesh name=\"a\"><box cells=\"2 1 1\"/></mesh>\n"
      "<mesh name=\"b\" file=\"no.msh\"/>\n"
      "<body name=\"a\" mesh=\"a\" material=\"rubber\"><fix><sphere radius=\"0\" centre=\"9 9 "
      "9\"/></fix></body>\n"
      "<body name=\"b\" mesh=\"b\" material=\"steel\"><fix><all/></fix></body>\n"
      "<body name=\"c\" mesh=\"a\" material=\"wood\"><fix axes=\"w\"/></body>\n"
      "<probe name=\"p\" body=\"a\" at=\"0 0 0\"/>\n"
      "<probe name=\"q\" body=\"nobody\" at=\"0 0 0\"/>\n"
      "</pliant>\n",
      (const char *const[]){
          "bar.xml:2: world: dt = 0 must lie between 1e-09 and 1e+06 s",
          "bar.xml:2: world: gravity = \"0 0\" must be three numbers separated by blanks",
          "bar.xml:2: world: duration is missing; add duration=\"...\" (s: simulated time)",
          "bar.xml:3: material \"rubber\": poisson = 0.7 must lie between -0.99 and 0.5",
          "bar.xml:4: unknown element \"materiel\"; did you mean \"material\"?",
          "bar.xml:5: material: unknown attribute \"nmae\"; did you mean \"name\"?",
          "bar.xml:5: material: name is missing; add name=\"...\" (name: that bodies call it by)",
          "bar.xml:10: body \"c\", fix: axes = \"w\" must be some of the letters xyz, each at most "
          "once",
          "bar.xml:10: body \"c\", fix: a region is missing; put one of <box>*",
          "bar.xml:12: probe \"q\": unknown body \"nobody\"; there is: a, b, c",
          "bar.xml:7: mesh \"b\": no.msh: cannot be opened: No such file or directory",
          "bar.xml:8: body \"a\", fix: the region holds no node of the mesh",
          NULL,
      });
}

TEST(too_many_errors_end_the_reading)
{
  enum { COUNT = 1000 };
  char *text = malloc(64 + COUNT * 16), *end = text;
  end += sprintf(end, "<pliant>");
  for (int i = 0; i < COUNT; i++) end += sprintf(end, "<nonsense/>\n");
  sprintf(end, "</pliant>");
  messages kept;
  pl_scene_def def = quiet_def("bar.xml", &kept);
  CHECK_FAILS(load(&def, text, error), PL_E_ARGUMENT, "unknown element \"nonsense\"");
  CHECK(kept.errors == 201);
  free(text);
}

/* Every attribute of every element, misspelt, is refused with a suggestion: over all tables. */
static void check_row(const char *path, const char *before, const char *name, const char *after)
{
  char text[1024], wrong[128];
  snprintf(wrong, sizeof wrong, "%sx", name);
  snprintf(text, sizeof text, "%s %s=\"1\"%s", before, wrong, after);
  messages kept;
  pl_scene_def def = quiet_def("bar.xml", &kept);
  CHECK(load(&def, text, NULL) != PL_OK);
  char part[256];
  snprintf(part, sizeof part, "unknown attribute \"%s\"; did you mean \"", wrong);
  int found = 0;
  for (int i = 0; i < kept.errors && i < MOST_MESSAGES; i++)
    found |= strstr(kept.text[i], part) != NULL;
  if (!found)
    printf("  %s %s: no suggestion for %s; first message: %s\n", path, name, wrong, kept.text[0]);
  CHECK(found);
}

static void check_member_rows(const char *before, const char *after, const pl_member *member)
{
  for (int i = 0; i < member->param_count; i++)
    check_row(member->name, before, member->params[i].name, after);
}

/* An attribute of the element's own would hide a member's parameter of the same name. */
static void check_own_name(const pl_element *element, const pl_member *member)
{
  for (const pl_attribute *row = element->attributes; row->param.name; row++) {
    for (int i = 0; i < member->param_count; i++) {
      int same = !strcmp(row->param.name, member->params[i].name);
      if (same) printf("  %s %s: hides %s's\n", element->name, row->param.name, member->name);
      CHECK(!same);
    }
  }
}

static int rows_checked;

static void check_table(const pl_element *element, const char *open, const char *close)
{
  for (int m = 0; m == 0 || (element->family && element->family->members[m]); m++) {
    const pl_member *member = element->family ? element->family->members[m] : NULL;
    const char *name = member ? member->name : element->name;
    char before[512], after[512], inner_open[512], inner_close[512];
    snprintf(before, sizeof before, "%s<%s", open, name);
    snprintf(after, sizeof after, "/>%s", close);
    snprintf(inner_open, sizeof inner_open, "%s<%s>", open, name);
    snprintf(inner_close, sizeof inner_close, "</%s>%s", name, close);
    if (member) check_member_rows(before, after, member);
    for (const pl_attribute *row = element->attributes; row->param.name; row++) {
      check_row(element->name, before, row->param.name, after);
      rows_checked++;
      for (int k = 0; row->adopts && row->family->members[k]; k++) {
        char chosen[512];
        snprintf(chosen, sizeof chosen, "%s<%s %s=\"%s\"", open, name, row->param.name,
                 row->family->members[k]->name);
        check_member_rows(chosen, after, row->family->members[k]);
        check_own_name(element, row->family->members[k]);
      }
    }
    for (int i = 0; element->children && element->children[i]; i++) {
      if (element->children[i] == element) continue; // solids stand in solids
      check_table(element->children[i], inner_open, inner_close);
    }
  }
}

TEST(every_misspelt_attribute_gets_a_suggestion)
{
  check_table(&pl_scene_root, "", "");
  CHECK(rows_checked > 30);
}

TEST(files_that_are_no_scenes)
{
  messages kept;
  pl_scene_def def = quiet_def("/nowhere/bar.xml", &kept);
  pl_scene *scene;
  CHECK_FAILS(pl_scene_load(&def, &scene, error), PL_E_IO,
              "/nowhere/bar.xml: cannot be opened: No such file or directory");
  CHECK(kept.errors == 1 && !scene);
  def.path = "/tmp";
  CHECK_FAILS(pl_scene_load(&def, &scene, error), PL_E_IO, "/tmp: is a folder");
  def.path = "bar.xml";
  CHECK_FAILS(load(&def, "", error), PL_E_PARSE, "bar.xml");
  CHECK_FAILS(load(&def, "<pliant>\n<world\n</pliant>", error), PL_E_PARSE, "bar.xml:");
  CHECK_FAILS(load(&def, "<scene/>", error), PL_E_PARSE,
              "bar.xml:1: begins with <scene>; a scene begins with <pliant>");
  CHECK_FAILS(load(&def, "<!DOCTYPE pliant>\n<pliant/>", error), PL_E_PARSE, "document type");
  CHECK_FAILS(load(&def, "<pliant>&x;</pliant>", error), PL_E_PARSE, "bar.xml:1: ");
  def.path = NULL;
  CHECK_FAILS(load(&def, "<pliant/>", error), PL_E_ARGUMENT, "has no path");
  def = (pl_scene_def){.path = "bar.xml"};
  CHECK_FAILS(load(&def, "<pliant/>", error), PL_E_ARGUMENT, "pl_scene_def_default()");
}

TESTS(X(every_message_is_one_clear_sentence)
          X(all_errors_are_told_at_once_and_none_follows_from_another)
              X(too_many_errors_end_the_reading) X(every_misspelt_attribute_gets_a_suggestion)
                  X(files_that_are_no_scenes))
