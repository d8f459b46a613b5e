// One of each of the objects that check a kernel or an entry, and who asks whom.
#pragma once

#include "frontend/check/arithmetic.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/columns.h"
#include "frontend/check/constants.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/functions.h"
#include "frontend/check/gathers.h"
#include "frontend/check/launch.h"
#include "frontend/check/loops.h"
#include "frontend/check/memory.h"
#include "frontend/check/names.h"
#include "frontend/check/numbers.h"
#include "frontend/check/parameters.h"
#include "frontend/check/pipelines.h"
#include "frontend/check/products.h"
#include "frontend/check/requirements.h"
#include "frontend/check/roles.h"
#include "frontend/check/statements.h"
#include "frontend/check/structs.h"
#include "frontend/check/tile_functions.h"
#include "frontend/check/tile_slices.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/check/views.h"

namespace tkc::checker {

struct Parts {
    Parts(FileContext& file_context, const Unit& unit, const ast::LaunchHead& syntax);
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts();

    Context context;
    Builder builder;
    Numbers numbers;
    Axes axes;
    Tiles tiles;
    Arithmetic arithmetic;
    Names names;
    Types types;
    Structs structs;
    Expressions expressions;
    Views views;
    Gathers gathers;
    TileSlices tile_slices;
    Memory memory;
    Columns columns;
    TileFunctions tile_functions;
    Products products;
    Calls calls;
    Functions functions;
    Statements statements;
    Loops loops;
    Pipelines pipelines;
    Constants constants;
    Parameters parameters;
    Requirements requirements;
    Launch launch;
    Roles roles;
};

}  // namespace tkc::checker
