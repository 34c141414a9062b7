#ifndef ADIT_CTOML_H
#define ADIT_CTOML_H
#endif
