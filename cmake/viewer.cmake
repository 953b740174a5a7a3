# The viewer: the server (src/view) and its page (viewer/), which is bundled by node and becomes a
# part of the program. Where something is missing, the build goes on without it.
set(view_missing "")
if(PLIANT_WITH_VIEW)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(websockets QUIET IMPORTED_TARGET libwebsockets)
  endif()
  # a source package has the page ready made, and no network
  set(page_made ${PROJECT_SOURCE_DIR}/viewer/page.c)
  find_program(node_program node)
  find_program(npm_program npm)
  if(NOT websockets_FOUND)
    set(view_missing "libwebsockets was not there (Debian: libwebsockets-dev)")
  elseif(EXISTS ${page_made})
    # nothing more is needed
  elseif(NOT node_program OR NOT npm_program)
    set(view_missing "node and npm, which make its page, were not there (Debian: nodejs npm)")
  else()
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-viewer.sh packages
                    RESULT_VARIABLE outcome OUTPUT_QUIET)
    if(outcome)
      set(view_missing "npm could not get the packages of its page (viewer/package.json)")
    endif()
  endif()
else()
  set(view_missing "it was switched off (PLIANT_WITH_VIEW)")
endif()

if(view_missing)
  message(STATUS "pliant view is left out: ${view_missing}")
  return()
endif()

file(GLOB page CONFIGURE_DEPENDS viewer/src/*)
set(page_code ${CMAKE_CURRENT_BINARY_DIR}/viewer/assets.c)
if(EXISTS ${page_made})
  set(page_code ${page_made})
else()
  add_custom_command(
    OUTPUT ${page_code}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-viewer.sh bundle ${page_code}
    DEPENDS ${page} viewer/build.mjs viewer/package-lock.json scripts/build-viewer.sh
    COMMENT "Bundling the viewer's page"
    VERBATIM)
endif()

add_library(pliant_view STATIC src/view/server.c src/view/token.c ${page_code})
# a long list of numbers is no place for warnings or sanitizers
set_source_files_properties(${page_code} PROPERTIES COMPILE_OPTIONS "-w;-O0")
target_link_libraries(pliant_view PUBLIC pliant_session PkgConfig::websockets)
