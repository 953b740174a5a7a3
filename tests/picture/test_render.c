/* Pictures of bodies: what is where, what hides what, and that no input does any harm. */
#include "core/memory.h"
#include "mesh/failing.h"
#include "picture/render.h"

enum { WIDTH = 160, HEIGHT = 120 };

static const double square[] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
static const int one_quad[] = {0, 1, 2, 3}, two_triangles[] = {0, 1, 2, 0, 2, 3};

/* A unit square across the view, seen straight from the front. */
static pl_render_body square_body(int nodes_per_face)
{
  return (pl_render_body){.node_count = 4,
                          .face_count = nodes_per_face == 3 ? 2 : 1,
                          .nodes_per_face = nodes_per_face,
                          .positions = square,
                          .faces = nodes_per_face == 3 ? two_triangles : one_quad,
                          .colour = {0.8f, 0.1f, 0.1f}};
}

/* A small picture from the front without ground. */
static pl_render front_view(const pl_render_body *bodies, int count)
{
  pl_render scene = pl_render_default();
  scene.width = WIDTH;
  scene.height = HEIGHT;
  scene.direction[1] = -1;
  scene.ground = INFINITY;
  scene.bodies = bodies;
  scene.body_count = count;
  return scene;
}

/* The picture, or an empty one where that fails. */
static pl_image draw(const pl_render *scene)
{
  pl_image image;
  CHECK_OK(pl_render_image(scene, NULL, &image, error));
  CHECK(image.pixels && image.width == scene->width && image.height == scene->height);
  return image;
}

static void release(pl_image *image)
{
  pl_allocator allocator = pl_allocator_default();
  pl_image_free(&allocator, image);
}

static const unsigned char *pixel(const pl_image *image, int x, int y)
{
  return image->pixels + 3 * (y * image->width + x);
}

/* Red, green and blue are those of a light grey background. */
static int is_background(const unsigned char *p)
{
  return p[0] > 205 && abs(p[0] - p[1]) < 12 && abs(p[1] - p[2]) < 12;
}
static int is_red(const unsigned char *p)
{
  return p[0] > 2 * p[1] && p[0] > 2 * p[2] && p[0] > 80;
}
static int is_green(const unsigned char *p)
{
  return p[1] > 2 * p[0] && p[1] > 2 * p[2] && p[1] > 80;
}

TEST(a_square_is_where_it_should_be)
{
  for (int nodes_per_face = 3; nodes_per_face <= 4; nodes_per_face++) {
    pl_render_body body = square_body(nodes_per_face);
    pl_render scene = front_view(&body, 1);
    pl_image image = draw(&scene);
    CHECK(is_red(pixel(&image, WIDTH / 2, HEIGHT / 2)));
    CHECK(is_background(pixel(&image, 2, 2)) &&
          is_background(pixel(&image, WIDTH - 3, HEIGHT - 3)));

    // it fills the height that the margins leave (21 % of it), and is as wide as high
    int rows = 0, columns = 0, others = 0;
    for (int y = 0; y < HEIGHT; y++) rows += is_red(pixel(&image, WIDTH / 2, y));
    for (int x = 0; x < WIDTH; x++) columns += is_red(pixel(&image, x, HEIGHT / 2));
    CHECK_NEAR(rows, 0.79 * HEIGHT, 2);
    CHECK_NEAR(columns, rows, 2);
    // no seam along the diagonal
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        int inside = abs(x - WIDTH / 2) < columns / 2 - 3 && y > 14 && y < 14 + rows - 6;
        others += inside && !is_red(pixel(&image, x, y));
      }
    }
    CHECK(others == 0);
    release(&image);
  }
}

TEST(what_is_nearer_hides_the_rest)
{
  double behind[12], crossing[12];
  for (int i = 0; i < 12; i++) {
    behind[i] = square[i] + (i % 3 == 1 ? 1 : 0);
    // turned about the upright axis: its right half is in front of the first square
    crossing[i] = i % 3 == 1 ? -0.5 * square[i - 1] : square[i];
  }
  pl_render_body bodies[] = {square_body(4), square_body(4)};
  bodies[1].colour[0] = 0.1f;
  bodies[1].colour[1] = 0.8f;
  bodies[1].positions = behind;
  for (int swapped = 0; swapped < 2; swapped++) {
    pl_render scene = front_view(bodies, 2);
    pl_image image = draw(&scene);
    CHECK(is_red(pixel(&image, WIDTH / 2, HEIGHT / 2)));
    release(&image);

    // from behind the other one is in front
    scene.direction[1] = 1;
    image = draw(&scene);
    CHECK(is_green(pixel(&image, WIDTH / 2, HEIGHT / 2)));
    release(&image);

    // the order of the bodies does not matter
    pl_render_body first = bodies[0];
    bodies[0] = bodies[1];
    bodies[1] = first;
  }
  bodies[1].positions = crossing;
  pl_render scene = front_view(bodies, 2);
  pl_image image = draw(&scene);
  CHECK(is_red(pixel(&image, WIDTH / 2 - 20, HEIGHT / 2)));
  CHECK(is_green(pixel(&image, WIDTH / 2 + 20, HEIGHT / 2)));
  release(&image);
}

/* A box of 2 x 1 x 1 with its long side along an axis, as quadrilaterals. */
static void make_box(int axis, double *positions)
{
  for (int i = 0; i < 24; i++) {
    positions[i] = (i / 3 >> (i % 3) & 1) * (i % 3 == axis ? 2.0 : 1.0);
  }
}

static const int box_faces[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};

static pl_render_body box_body(const double *positions)
{
  return (pl_render_body){.node_count = 8,
                          .face_count = 6,
                          .nodes_per_face = 4,
                          .positions = positions,
                          .faces = box_faces,
                          .colour = {0.8f, 0.1f, 0.1f}};
}

TEST(creases_stay_sharp)
{
  double positions[24];
  make_box(0, positions);
  pl_render_body body = box_body(positions);
  pl_render scene = front_view(&body, 1);
  scene.direction[0] = 1;
  scene.direction[2] = 1;
  pl_image image = draw(&scene);
  // three faces of three levels of light: few reds hold most of the pixels
  int histogram[256] = {0}, total = 0, max = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    const unsigned char *p = image.pixels + 3 * i;
    if (!is_red(p)) continue;
    histogram[p[0]]++;
    total++;
  }
  for (int k = 0; k < 3; k++) {
    int best = 2;
    for (int i = 2; i < 254; i++) best = histogram[i] > histogram[best] ? i : best;
    for (int i = best - 2; i <= best + 2; i++) max += histogram[i], histogram[i] = 0;
  }
  CHECK(total > 3000 && max > 0.9 * total);
  release(&image);
}

/* A coarse torus, smooth by its normals. */
static pl_render_body torus_body(double *positions, int *faces)
{
  enum { AROUND = 24, ACROSS = 16 };
  for (int i = 0; i < AROUND; i++) {
    for (int j = 0; j < ACROSS; j++) {
      double a = 2 * 3.14159265358979 * i / AROUND, b = 2 * 3.14159265358979 * j / ACROSS;
      double *p = positions + 3 * (ACROSS * i + j), r = 1 + 0.4 * cos(b);
      p[0] = r * cos(a), p[1] = r * sin(a), p[2] = 0.4 * sin(b);
      int u = (i + 1) % AROUND, v = (j + 1) % ACROSS, *f = faces + 4 * (ACROSS * i + j);
      f[0] = ACROSS * i + j, f[1] = ACROSS * u + j, f[2] = ACROSS * u + v, f[3] = ACROSS * i + v;
    }
  }
  return (pl_render_body){.node_count = AROUND * ACROSS,
                          .face_count = AROUND * ACROSS,
                          .nodes_per_face = 4,
                          .positions = positions,
                          .faces = faces,
                          .colour = {0.8f, 0.1f, 0.1f}};
}

/* Where a smooth normal points away from the eye at the outline, the surface is no darker than
 * beside it: the upper rim is in the light everywhere. */
TEST(outlines_of_coarse_surfaces_are_not_dark)
{
  static double positions[3 * 24 * 16];
  static int faces[4 * 24 * 16];
  pl_render_body body = torus_body(positions, faces);
  pl_render scene = front_view(&body, 1);
  scene.width = 640;
  scene.height = 480;
  scene.direction[0] = 0.5;
  scene.direction[2] = 0.4;
  pl_image image = draw(&scene);
  int darkest = 255, rims = 0;
  for (int x = 100; x < 540; x++) {
    int y = 0;
    while (y < 479 && is_background(pixel(&image, x, y))) y++;
    for (int k = 0; k < 6 && y < 474; k++) {
      int red = pixel(&image, x, y + k)[0];
      darkest = red < darkest ? red : darkest;
    }
    rims += y < 479;
  }
  printf("  darkest red of the rim: %d\n", darkest);
  CHECK(rims == 440 && darkest > 150);
  release(&image);
}

TEST(every_axis_can_point_up)
{
  // a box is framed whatever is up, and looks the same if everything is turned with it
  pl_image first = {0};
  for (int up = 0; up < 3; up++) {
    double positions[24];
    make_box((up + 1) % 3, positions);
    pl_render_body body = box_body(positions);
    pl_render scene = front_view(&body, 1);
    scene.ground = NAN;
    scene.up = up;
    scene.direction[up] = 0.5;
    scene.direction[(up + 1) % 3] = 0.4;
    scene.direction[(up + 2) % 3] = -1;
    pl_image image = draw(&scene);
    CHECK(is_red(pixel(&image, WIDTH / 2, HEIGHT / 2)) && is_background(pixel(&image, 3, 3)));
    if (up == 0) {
      first = image;
      continue;
    }
    // the lamps of the sky are not turned with it, so levels differ a little
    int different = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) {
      different += abs(image.pixels[i] - first.pixels[i]) > 40;
    }
    CHECK(different < 3 * WIDTH * HEIGHT / 50);
    release(&image);
  }
  release(&first);
}

TEST(the_ground_catches_a_shadow)
{
  double positions[24];
  make_box(0, positions);
  pl_render_body body = box_body(positions);
  pl_render scene = front_view(&body, 1);
  scene.direction[2] = 0.6;
  pl_image open = draw(&scene);
  scene.ground = NAN;
  pl_image shaded = draw(&scene);
  int darker = 0, brighter = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    int change = open.pixels[3 * i] - shaded.pixels[3 * i];
    darker += change > 30;
    brighter += change < -2;
  }
  CHECK(darker > 200 && brighter == 0);
  release(&open);
  release(&shaded);

  // seen from below there is no ground
  scene.direction[2] = -0.6;
  pl_image below = draw(&scene);
  scene.ground = INFINITY;
  open = draw(&scene);
  CHECK(memcmp(below.pixels, open.pixels, 3 * WIDTH * HEIGHT) == 0);
  release(&open);
  release(&below);
}

TEST(scalars_become_colours)
{
  const double values[] = {0, 1, 1, 0}, broken[] = {NAN, 1, INFINITY, 0};
  float low[3], high[3];
  pl_colour_map(PL_COLOURS_AMOUNT, 0, low);
  pl_colour_map(PL_COLOURS_AMOUNT, 1, high);
  pl_render_body body = square_body(4);
  body.scalars = values;
  pl_render scene = front_view(&body, 1);
  scene.width = 480;
  scene.bar_label = "stress";
  scene.bar_unit = "Pa";
  pl_image image = draw(&scene);
  // the square has blue at its left and red at its right, and so has the bar from below
  int left = scene.width, right = 0;
  for (int x = 0; x < 360; x++) {
    if (is_background(pixel(&image, x, HEIGHT / 2))) continue;
    if (x < left) left = x;
    if (x > right) right = x;
  }
  const unsigned char *a = pixel(&image, left + 3, HEIGHT / 2),
                      *b = pixel(&image, right - 3, HEIGHT / 2);
  CHECK(a[2] > a[1] && a[2] > a[0] && b[0] > b[1] + 60 && b[0] > b[2] + 60);
  int bar = 0;
  for (int x = 360; x < 480; x++) {
    const unsigned char *p = pixel(&image, x, (int)(0.15 * HEIGHT + 1.3 * 7) + 1);
    bar += abs(p[0] - (int)(255 * high[0])) < 25 && abs(p[2] - (int)(255 * high[2])) < 25;
  }
  CHECK(bar >= 2);
  release(&image);

  // a given range, scalars of faces, scalars that are none
  scene.scalar_min = -1e9;
  scene.scalar_max = 0;
  image = draw(&scene);
  a = pixel(&image, left + 3, HEIGHT / 2);
  CHECK(a[0] > a[1] && a[0] > a[2]);
  release(&image);
  scene.scalar_min = scene.scalar_max = NAN;
  body.of_faces = 1;
  image = draw(&scene);
  release(&image);
  body.of_faces = 0;
  body.scalars = broken;
  image = draw(&scene);
  a = pixel(&image, left + 3, 20);
  CHECK(abs(a[0] - a[1]) < 20 && abs(a[1] - a[2]) < 20 && a[0] < 190);
  release(&image);
}

/* The colours '#rrggbb' in the line of the viewer's file that begins with the name. */
static int viewer_colours(const char *name, int colours[][3], int max)
{
  char path[4096], line[1024];
  int count = 0;
  snprintf(path, sizeof path, "%s/viewer/src/colours.js", getenv("PLIANT_SOURCE"));
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *at = line + strspn(line, " ");
    if (strncmp(at, name, strlen(name)) != 0) continue;
    for (; count < max && (at = strstr(at, "'#")); at += 8, count++) {
      unsigned word = (unsigned)strtoul(at + 2, NULL, 16);
      for (int k = 0; k < 3; k++) colours[count][k] = (int)(word >> (16 - 8 * k) & 255);
    }
  }
  if (file) fclose(file);
  return count;
}

/* What the colours mean is written where no body is, however wide that is. */
TEST(the_label_of_the_bar_hides_nothing)
{
  static const double wide[] = {-3, 0, -2, 3, 0, -2, 3, 0, 2, -3, 0, 2}, values[] = {0, 1, 1, 0};
  pl_render_body body = square_body(4);
  body.positions = wide;
  body.scalars = values;
  pl_render scene = front_view(&body, 1);
  scene.width = 640, scene.height = 400;
  scene.bar_label = "von Mises stress";
  scene.bar_unit = "kPa";
  pl_image with = draw(&scene);
  scene.bar_label = scene.bar_unit = "";
  pl_image without = draw(&scene);
  int text = 0, hidden = 0;
  for (int i = 0; i < scene.width * scene.height; i++) {
    const unsigned char *a = with.pixels + 3 * i, *b = without.pixels + 3 * i;
    text += memcmp(a, b, 3) != 0;
    hidden += memcmp(a, b, 3) != 0 && !is_background(b);
  }
  CHECK(text > 100 && hidden == 0);
  release(&with);
  release(&without);
}

TEST(pictures_have_the_colours_of_the_viewer)
{
  static const char *const names[] = {"amount:", "around:"};
  for (int m = 0; m < 2; m++) {
    int colours[16][3], count = viewer_colours(names[m], colours, 16);
    CHECK(count > 5);
    for (int i = 0; i < count; i++) {
      float c[3];
      pl_colour_map(m ? PL_COLOURS_AROUND : PL_COLOURS_AMOUNT, (double)i / (count - 1), c);
      for (int k = 0; k < 3; k++) CHECK(lrintf(255 * c[k]) == colours[i][k]);
    }
  }
}

TEST(edges_are_drawn_but_not_diagonals)
{
  pl_render_body body = square_body(4);
  pl_render scene = front_view(&body, 1);
  pl_image plain = draw(&scene);
  scene.edges = 1;
  pl_image quads = draw(&scene);
  body = square_body(3);
  pl_image triangles = draw(&scene);
  int border = 0, diagonal = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    border += plain.pixels[3 * i] - quads.pixels[3 * i] > 6;
    diagonal += quads.pixels[3 * i] - triangles.pixels[3 * i] > 15;
  }
  CHECK(border > 150 && diagonal > 60 && diagonal < 400);
  // in the middle there is a line between two triangles only
  const unsigned char *p = pixel(&plain, WIDTH / 2, HEIGHT / 2);
  CHECK(memcmp(p, pixel(&quads, WIDTH / 2, HEIGHT / 2), 3) == 0);
  release(&plain);
  release(&quads);
  release(&triangles);
}

TEST(a_given_box_holds_the_camera_still)
{
  pl_render_body body = square_body(4);
  pl_render scene = front_view(&body, 1);
  for (int k = 0; k < 3; k++) scene.min[k] = -4, scene.max[k] = 4;
  pl_image image = draw(&scene);
  int rows = 0;
  for (int y = 0; y < HEIGHT; y++) rows += is_red(pixel(&image, WIDTH / 2, y));
  CHECK(rows > 10 && rows < 0.3 * HEIGHT);
  release(&image);

  // bodies far outside of it, behind the eye or around it: no harm
  static const double far[] = {-1e6, -1e6, -1e6, 1e6, 1e6, -1e6, 1e6, 1e6, 1e6, -1e6, -1e6, 1e6};
  body.positions = far;
  image = draw(&scene);
  release(&image);
}

TEST(odd_bodies_do_no_harm)
{
  static const double odd[] = {0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, 1e-30};
  double positions[60], scalars[40];
  int faces[80];
  for (int trial = 0; trial < 16; trial++) {
    // half of the trials stay with ordinary numbers, so that degenerate faces are seen
    int kinds = trial % 2 ? 3 : 10;
    for (int i = 0; i < 60; i++) positions[i] = odd[test_random() % (unsigned)kinds];
    for (int i = 0; i < 40; i++) scalars[i] = odd[test_random() % 10];
    for (int i = 0; i < 80; i++) faces[i] = (int)(test_random() % 20);
    pl_render_body body = {.node_count = 20,
                           .face_count = 20,
                           .nodes_per_face = 3 + trial / 2 % 2,
                           .positions = positions,
                           .faces = faces,
                           .scalars = trial / 4 % 2 ? scalars : NULL,
                           .of_faces = trial / 8 % 2};
    pl_render scene = pl_render_default();
    scene.width = 40 + trial;
    scene.height = 50;
    scene.edges = trial % 3 == 0;
    scene.up = trial % 3;
    scene.title = "odd \x01 \xff \xc3";
    scene.bodies = &body;
    scene.body_count = 1;
    pl_image image = draw(&scene);
    release(&image);
  }

  // without any finite node, without faces, without bodies: the background
  double nowhere[12];
  for (int i = 0; i < 12; i++) nowhere[i] = NAN;
  pl_render_body body = square_body(4);
  body.positions = nowhere;
  pl_render scene = front_view(&body, 1);
  for (int k = 0; k < 3; k++) {
    pl_image image = draw(&scene);
    for (int i = 0; i < WIDTH * HEIGHT; i += 7) CHECK(is_background(image.pixels + 3 * i));
    release(&image);
    if (k == 0)
      body.face_count = 0;
    else
      scene.body_count = 0;
  }

  // one face with a node nowhere is left out, its neighbour stays
  double half[12];
  memcpy(half, square, sizeof half);
  half[10] = NAN;
  body = square_body(3);
  body.positions = half;
  scene = front_view(&body, 1);
  pl_image image = draw(&scene);
  CHECK(is_red(pixel(&image, WIDTH / 2 + 15, HEIGHT / 2 + 10)));
  CHECK(is_background(pixel(&image, WIDTH / 2 - 15, HEIGHT / 2 - 15)));
  release(&image);
}

TEST(pictures_are_the_same_every_time)
{
  double positions[24];
  make_box(1, positions);
  pl_render_body body = box_body(positions);
  pl_render scene = front_view(&body, 1);
  scene.ground = NAN;
  scene.edges = 1;
  memset(scene.direction, 0, sizeof scene.direction);
  pl_image a = draw(&scene), b = draw(&scene);
  CHECK(memcmp(a.pixels, b.pixels, 3 * WIDTH * HEIGHT) == 0);
  release(&a);
  release(&b);
  pl_text file = pl_text_make(NULL);
  CHECK_OK(pl_render_png(&scene, &file, error));
  CHECK(file.size > 100 && memcmp(file.data + 1, "PNG", 3) == 0);
  pl_text_release(&file);
}

TEST(what_cannot_be_drawn_is_refused)
{
  pl_render_body body = square_body(4);
  pl_render zero = {0}, scene = front_view(&body, 1);
  pl_image image;
  CHECK_FAILS(pl_render_image(&zero, NULL, &image, error), PL_E_ARGUMENT, "pl_render_default");
  scene.up = 3;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "up = 3");
  scene = front_view(&body, 1);
  scene.direction[0] = NAN;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "view direction");
  scene = front_view(&body, -1);
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "-1 bodies");
  scene = front_view(&body, 1);
  scene.min[1] = 2;
  scene.max[1] = 1;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "box from 2 to 1");
  scene = front_view(&body, 1);
  scene.scalar_max = INFINITY;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "colours from");
  scene = front_view(&body, 1);
  body.nodes_per_face = 5;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "faces of 5 nodes");
  body = square_body(4);
  body.node_count = 3;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "uses node 3 of 3");
  body = square_body(4);
  body.positions = NULL;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "lacks its 4 nodes");
  body = square_body(4);
  body.colour[1] = 200;
  CHECK_FAILS(pl_render_image(&scene, NULL, &image, error), PL_E_ARGUMENT, "colour 200 of body 0");
  CHECK(image.pixels == NULL);
}

static pl_status render_small(const pl_allocator *allocator, void *context)
{
  pl_text out = pl_text_make(allocator);
  pl_error error;
  pl_status status = pl_render_png(context, &out, &error);
  CHECK(status == PL_OK || (out.size == 0 && error.code == PL_E_MEMORY));
  pl_text_release(&out);
  return status;
}

TEST(no_memory_is_reported)
{
  pl_render_body body = square_body(4);
  pl_render scene = front_view(&body, 1);
  scene.ground = NAN;
  fail_every_allocation(render_small, &scene);
}

TESTS(X(a_square_is_where_it_should_be) X(what_is_nearer_hides_the_rest) X(creases_stay_sharp)
          X(outlines_of_coarse_surfaces_are_not_dark) X(every_axis_can_point_up)
              X(the_ground_catches_a_shadow) X(scalars_become_colours)
                  X(the_label_of_the_bar_hides_nothing) X(pictures_have_the_colours_of_the_viewer)
                      X(edges_are_drawn_but_not_diagonals) X(a_given_box_holds_the_camera_still)
                          X(odd_bodies_do_no_harm) X(pictures_are_the_same_every_time)
                              X(what_cannot_be_drawn_is_refused) X(no_memory_is_reported))
