/* Scripts in the vocabulary of Hauth's thesis (VirTisScript, 5.1) as scenes of ours. */
#ifndef PL_SCENE_VIRTIS_H
#define PL_SCENE_VIRTIS_H

#include "core/text.h"
#include "scene/reader.h"

/* The element of a document that has <FEMesh> inside: its root, if it is no scene of ours; NULL:
 * there is none. */
pl_xml_node *pl_virtis_find(pl_xml_node *root);

/* Writes the scene of the first <?simulate?>. source: the document's bytes, where processing
 * instructions stand. What is wrong is reported with its line; then the text is of no use. */
void pl_virtis_convert(pl_reader *reader, pl_xml_node *script, const char *source, size_t size,
                       pl_text *out);

#endif
