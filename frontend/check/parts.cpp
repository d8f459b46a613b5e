// Which object asks which others.
#include "frontend/check/parts.h"

namespace tkc::checker {

Parts::Parts(FileContext& file_context, const Unit& unit, const ast::LaunchHead& syntax)
    : context(file_context, unit, syntax),
      builder(context),
      numbers(context, builder),
      axes(context, builder, numbers),
      tiles(context, builder, numbers, axes),
      arithmetic(context, numbers, axes, tiles),
      names(*this),
      types(*this),
      structs(*this),
      expressions(*this),
      views(*this),
      gathers(*this),
      tile_slices(*this),
      memory(*this),
      columns(*this),
      tile_functions(*this),
      products(*this),
      calls(*this),
      functions(*this),
      statements(*this),
      loops(*this),
      pipelines(*this),
      constants(*this),
      parameters(*this),
      requirements(*this),
      launch(*this),
      roles(*this) {}

Parts::~Parts() = default;

Names::Names(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      statements_(parts.statements),
      structs_(parts.structs),
      types_(parts.types) {}

Types::Types(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      names_(parts.names),
      numbers_(parts.numbers),
      structs_(parts.structs),
      tiles_(parts.tiles) {}

Structs::Structs(Parts& parts)
    : builder_(parts.builder),
      constants_(parts.constants),
      context_(parts.context),
      expressions_(parts.expressions),
      names_(parts.names),
      numbers_(parts.numbers),
      tiles_(parts.tiles),
      types_(parts.types) {}

Expressions::Expressions(Parts& parts)
    : arithmetic_(parts.arithmetic),
      builder_(parts.builder),
      calls_(parts.calls),
      context_(parts.context),
      names_(parts.names),
      numbers_(parts.numbers),
      pipelines_(parts.pipelines),
      structs_(parts.structs),
      tiles_(parts.tiles),
      types_(parts.types),
      views_(parts.views) {}

Views::Views(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      gathers_(parts.gathers),
      numbers_(parts.numbers),
      tile_slices_(parts.tile_slices),
      tiles_(parts.tiles),
      types_(parts.types) {}

Gathers::Gathers(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      numbers_(parts.numbers),
      tiles_(parts.tiles) {}

TileSlices::TileSlices(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      tiles_(parts.tiles) {}

Memory::Memory(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      names_(parts.names),
      tiles_(parts.tiles),
      views_(parts.views) {}

Columns::Columns(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      memory_(parts.memory),
      tiles_(parts.tiles) {}

TileFunctions::TileFunctions(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      tiles_(parts.tiles) {}

Products::Products(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      tile_slices_(parts.tile_slices),
      tiles_(parts.tiles) {}

Calls::Calls(Parts& parts)
    : arithmetic_(parts.arithmetic),
      axes_(parts.axes),
      builder_(parts.builder),
      columns_(parts.columns),
      context_(parts.context),
      expressions_(parts.expressions),
      functions_(parts.functions),
      memory_(parts.memory),
      names_(parts.names),
      numbers_(parts.numbers),
      products_(parts.products),
      tile_functions_(parts.tile_functions),
      requirements_(parts.requirements),
      tiles_(parts.tiles),
      types_(parts.types) {}

Functions::Functions(Parts& parts)
    : arithmetic_(parts.arithmetic),
      builder_(parts.builder),
      constants_(parts.constants),
      context_(parts.context),
      expressions_(parts.expressions),
      names_(parts.names),
      statements_(parts.statements),
      structs_(parts.structs),
      tiles_(parts.tiles),
      types_(parts.types) {}

Statements::Statements(Parts& parts)
    : arithmetic_(parts.arithmetic),
      axes_(parts.axes),
      builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      functions_(parts.functions),
      loops_(parts.loops),
      names_(parts.names),
      numbers_(parts.numbers),
      pipelines_(parts.pipelines),
      products_(parts.products),
      structs_(parts.structs),
      tiles_(parts.tiles),
      types_(parts.types),
      views_(parts.views) {}

Loops::Loops(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      names_(parts.names),
      numbers_(parts.numbers),
      statements_(parts.statements),
      types_(parts.types) {}

Pipelines::Pipelines(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      columns_(parts.columns),
      context_(parts.context),
      expressions_(parts.expressions),
      memory_(parts.memory),
      names_(parts.names),
      numbers_(parts.numbers),
      statements_(parts.statements),
      tiles_(parts.tiles),
      types_(parts.types) {}

Constants::Constants(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      names_(parts.names) {}

Parameters::Parameters(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      names_(parts.names),
      numbers_(parts.numbers),
      types_(parts.types) {}

Requirements::Requirements(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      numbers_(parts.numbers),
      types_(parts.types) {}

Launch::Launch(Parts& parts)
    : builder_(parts.builder),
      context_(parts.context),
      expressions_(parts.expressions),
      loops_(parts.loops),
      names_(parts.names),
      numbers_(parts.numbers),
      roles_(parts.roles),
      types_(parts.types) {}

Roles::Roles(Parts& parts)
    : axes_(parts.axes),
      builder_(parts.builder),
      columns_(parts.columns),
      context_(parts.context),
      expressions_(parts.expressions),
      gathers_(parts.gathers),
      names_(parts.names),
      numbers_(parts.numbers),
      statements_(parts.statements),
      types_(parts.types) {}

}  // namespace tkc::checker
