// Writing files so that a failure has a reason and leaves nothing half done.
#pragma once

#include <string>
#include <string_view>

namespace tkc {

// Replaces the file by way of a new one next to it, which is renamed when all of it is on the disk:
// what was there stays whole until then. `-` is standard output, and devices are written in place.
// Gives the reason of a failure, or an empty string.
std::string write_file(const std::string& path, std::string_view text);

// The same, if the file still has the text `before`: what somebody else wrote since then is not
// lost, and that is the reason of the failure.
std::string replace_text(const std::string& path, std::string_view before, std::string_view text);

// Whether two paths name one file, or would if both were written; an empty path names none.
bool is_same_file(const std::string& a, const std::string& b);

// A fresh folder for scratch files; it goes, with all in it, with the object.
class ScratchFolder {
public:
    ScratchFolder();  // below $TMPDIR or /tmp
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }      // empty: none could be made
    const std::string& reason() const { return reason_; }  // then this says why

private:
    std::string path_;
    std::string reason_;
};

}  // namespace tkc
