// The operations that move tiles: pipelines, bulk copies, shared and global memory.
#pragma once

#include <string>

#include "ir/operations.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/kernel_parameters.h"

namespace tkc::cuda {

void emit(RoleContext& c, const ir::Acquire& op, Block& out);
void emit(RoleContext& c, const ir::Expect& op, Block& out);
void emit(RoleContext& c, const ir::TmaLoad& op, Block& out);
void emit(RoleContext& c, const ir::CopyLoad& op, Block& out);
void emit(RoleContext& c, const ir::FetchProgram& op, Block& out);
void emit(RoleContext& c, const ir::SetProgram& op, Block& out);
void emit(RoleContext& c, const ir::Publish& op, Block& out);
void emit(RoleContext& c, const ir::AwaitCopies& op, Block& out);
void emit(RoleContext& c, const ir::Take& op, Block& out);
void emit(RoleContext& c, const ir::Release& op, Block& out);
void emit(RoleContext& c, const ir::Field& op, Block& out);
void emit(RoleContext& c, const ir::Window& op, Block& out);
void emit(RoleContext& c, const ir::WriteShared& op, Block& out);
void emit(RoleContext& c, const ir::BufferTile& op, Block& out);
void emit(RoleContext& c, const ir::WriteTile& op, Block& out);
void emit(RoleContext& c, const ir::ReadShared& op, Block& out);
void emit(RoleContext& c, const ir::TmaStore& op, Block& out);
void emit(RoleContext& c, const ir::CopyStore& op, Block& out);
void emit(RoleContext& c, const ir::StoreCells& op, Block& out);
void emit(RoleContext& c, const ir::LoadCells& op, Block& out);
// Adds a statement of the role's elected lane.
void elected(RoleContext& c, Stmt statement, Block& out);
// Adds a statement of the elected lane of each warpgroup; of the role, where it is made of warps.
void leading(RoleContext& c, Stmt statement, Block& out);
// Starts to copy what the load, which runs ahead, will take.
void emit_request(RoleContext& c, const ir::LoadCells& op, Block& out);

// The C++ type of one cell of a register tile, as an elementwise function receives it.
std::string element_of_fragment(const ir::TileType& part);

}  // namespace tkc::cuda
