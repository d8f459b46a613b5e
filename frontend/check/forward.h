// The objects that check a kernel. Each has one subject, and names those that it asks in its
// header; `Parts` owns one of each. A method that reports an error returns Poison or nothing, and
// callers of it stay silent.
#pragma once

namespace tkc::checker {

// What the others depend on: none of these uses one that is below it here.
class Context;     // where the checker is in the text, and its messages
class Builder;     // the IR that is being built
class Numbers;     // what is known of numbers at this place
class Axes;        // what the rows and columns of a tile stand for
class Tiles;       // operands as tiles, and tiles as values
class Arithmetic;  // elementwise operations

// Expressions: these ask each other, as the grammar does.
class Names;
class Types;
class Structs;
class Expressions;
class Views;
class Gathers;  // positions that are listed in memory
class TileSlices;
class Memory;
class Columns;
class TileFunctions;
class Products;
class Calls;
class Functions;

// Statements, and what is in a kernel.
class Statements;
class Loops;
class Pipelines;
class Constants;
class Parameters;
class Requirements;
class Launch;
class Roles;

struct Parts;

}  // namespace tkc::checker
