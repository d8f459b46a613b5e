// The grammar of the language. Operations are calls, so it names none of them.
//
// Every decision takes one token, so that parsing is fast and an error is found at the first token that
// cannot follow. Two things make that possible. Where the language looks further, a pass over the
// tokens (frontend/parse/tokens.cpp) has looked and changed the type of one token: those under `tokens`.
// And words that mean something only in their place (`persistent`, `warps`, `registers`, ..) are names
// here; frontend/parse/parse.cpp checks them and lists the known ones.
grammar Tk;

tokens {
    SHARED, SCRATCH, PARTITION, MEGAKERNEL, OP, EXPECT,  // the word, first in a statement and before a name
    EXPECT_THAT,                                // `expect` before a condition, in a test
    SCHEDULE,                                   // `schedule`, first in a statement and before `{`
    INOUT,                                      // `inout` before a name, after `(` or `,`
    REVERSED,                                   // `reversed` between `in` and an operand
    FROM,                                       // `from` before a string
    HINT, HINT_OF,                              // a hint after `)`; the second is followed by `(`
    GENERIC                                     // the `<` of `f<constants>(` in an expression
}

// ---- declarations --------------------------------------------------------------------------------

file       : importDecl* decl* EOF ;
importDecl : 'import' path ';' ;
path       : NAME ('.' NAME)* ;

decl : kernel | entry | function | structDecl | instance | reference | test | externFn | megakernel ;

kernel     : 'kernel' NAME consts? '(' kparams? ')' conditions? beliefs? '{' kitem* '}' ;
entry      : 'entry' NAME consts? '(' kparams? ')' conditions? beliefs? '{' entryItem* '}' ;
entryItem  : scratchDecl | stmt ;
scratchDecl : SCRATCH NAME ':' type ';' ;
function   : 'fn' NAME consts? '(' fparams? ')' result? block ;
structDecl : 'struct' NAME consts? '{' field* '}' ;
instance   : 'instance' path '<' cargs '>' 'as' NAME ';' ;
reference  : 'reference' NAME '(' names? ')' '->' '(' names ')' block ;
test       : 'test' NAME (NAME NAME)? '{' testItem* '}' ;                    // NAME: of
externFn   : 'extern' NAME 'fn' NAME '(' fparams? ')' result (FROM STRING)? block ;  // NAME: cuda
megakernel : MEGAKERNEL NAME consts? '(' kparams? ')' conditions? beliefs? '{' megaItem* '}' ;
megaItem   : op | schedule ;
op         : OP NAME '(' fparams? ')' '{' kitem* '}' ;
schedule   : SCHEDULE block ;

consts     : '<' constParam (',' constParam)* '>' ;
constParam : word+ (':' (NAME | isFunction='fn'))? ('=' add)? ;  // `schedule`, then the name; NAME: int, bool, dtype
kparams    : kparam (',' kparam)* ;
kparam     : word+ (':' type | '[' extents ']') ;     // modes, then the name; `counter` has brackets
fparams    : fparam (',' fparam)* ;
fparam     : word+ ':' type ;                                                // const, inout
word       : NAME | INOUT ;
names      : NAME (',' NAME)* ;
conditions : 'requires' expr (',' expr)* ;             // what a launch checks
beliefs    : 'trusts' expr (',' expr)* ;               // what nobody does
result     : '->' type ;
field      : NAME ':' type ';' ;
type       : path ('<' cargs '>')? ('[' extents ']' packed?)? ;
packed     : NAME '(' NAME ')' ;                                             // NAME: packed
extents    : add (',' add)* ;
cargs      : carg (',' carg)* ;
carg       : add ('=' add)?                           // the left of `=` is a name
           | '..' ;                                   // in a call of an entry: those of the same name

testItem : EXPECT names (STRING | '~' 'reference' NAME add (NAME add)?) ';'  // error; NAME: within, norm
         | EXPECT_THAT expr ';'
         | 'for' NAME 'in' list ';'
         | NAME '=' expr ';' ;
list     : '[' expr (',' expr)* ']' ;

// ---- what is in a kernel ---------------------------------------------------------------------

kitem     : grid | pipeline | space | role | partition | stmt ;
grid      : 'grid' '(' iters ')' gridWord* ';' ;
gridWord  : NAME ('(' arg (',' arg)* ')')? ;          // persistent dynamic raster heaviest_first ..
pipeline  : 'pipeline' NAME '[' add ']' per? (':' type ';' | '{' field* '}') ;
per       : NAME NAME 'in' add ;                                             // NAME: per
space     : 'space' NAME '=' '(' iters ')' ';' ;
role      : 'role' NAME instances? '(' add NAME ')' roleWord* block ;        // NAME: warps, ..
instances : '[' NAME 'in' add ']' ;
roleWord  : NAME ('(' add ')')? ;            // pingpong alternate registers
partition : PARTITION NAME '(' add ')' '{' kitem* '}' ;
iters     : iter (',' iter)* ;
iter      : NAME 'in' REVERSED? bitOr ('..' bitOr)? ('by' bitOr)? ;

// ---- statements ----------------------------------------------------------------------------------

block : '{' stmt* '}' ;
stmt  : let | sharedVar | forStmt | ifStmt | produce | consumeStmt | returnStmt | simple ;

let         : ('let' | 'var') NAME (':' type)? '=' rhs ';' ;
sharedVar   : SHARED NAME ':' type ('=' expr)? ';' ;
forStmt     : 'for' ('(' names ')' 'in' NAME | iters) forWord? block ;
forWord     : NAME ('(' add ')')? ;                                          // NAME: pipelined
ifStmt      : 'if' orExpr block elsePart* ;
elsePart    : 'else' ('if' orExpr)? block ;
produce     : 'produce' pipe ('=' expr ';' | '{' (fieldValue ';')* '}') ;
fieldValue  : NAME '=' expr ;
consumeStmt : 'consume' pipe 'as' NAME block ;
returnStmt  : 'return' rhs? ';' ;
simple      : postfix (('=' | '+=' | '-=' | '*=' | '/=') rhs)? ';' ;   // an assignment or a call
rhs         : expr | structValue ;
structValue : '{' fieldValue (',' fieldValue)* '}' ;
pipe        : NAME ('[' expr ']')? ;

// ---- expressions, weakest first ------------------------------------------------------------------

expr    : orExpr | ifExpr ;
ifExpr  : 'if' orExpr '{' expr '}' 'else' ('{' expr '}' | ifExpr) ;
orExpr  : andExpr ('or' andExpr)* ;
andExpr : notExpr ('and' notExpr)* ;
notExpr : 'not' notExpr | cmp ;
cmp     : bitOr (('==' | '!=' | '<' | '<=' | '>' | '>=') bitOr)* ;     // two at most
bitOr   : bitXor ('|' bitXor)* ;
bitXor  : bitAnd ('^' bitAnd)* ;
bitAnd  : shift ('&' shift)* ;
shift   : add (('<<' | '>>') add)* ;
add     : mul (('+' | '-') mul)* ;
mul     : unary (('*' | '/' | '//' | '%' | '@') unary)* ;
unary   : ('-' | '~') unary | 'consume' pipe | postfix ;
postfix : primary suffix* ;
suffix  : '.' NAME
        | '[' sub (',' sub)* ']'
        | (GENERIC cargs '>')? '(' (arg (',' arg)*)? ')' hint* ;
hint    : HINT | HINT_OF '(' NAME ')' ;
arg     : INOUT postfix | expr ('=' expr)? ;          // the left of `=` is a name
sub     : ':' | ifExpr | bitOr ('+:' bitOr (NAME bitOr)? | '..' bitOr)? ;     // NAME: step
primary : NAME | INT | FLOAT | STRING | 'true' | 'false' | 'inf' | '(' expr ')' | list ;  // lists: in tests

// ---- tokens --------------------------------------------------------------------------------------

NAME   : [A-Za-z_] [A-Za-z_0-9]* ;
INT    : [0-9] [0-9_]* | '0x' [0-9a-fA-F] [0-9a-fA-F_]* ;
FLOAT  : [0-9]+ '.' [0-9]+ EXP? | [0-9]+ EXP ;
STRING : '"' ~["\r\n]* '"' ;
fragment EXP : [eE] [+-]? [0-9]+ ;

// Both begin with the same signs: past the end of an operand they divide, everywhere else they begin
// a comment. frontend/parse/parse.cpp decides it by the token before, and reads on accordingly.
FLOOR   : '//' ;
COMMENT : '//' ~[\n]* -> channel(HIDDEN) ;
SPACE   : [ \t\r\n]+ -> skip ;

// What is wrong in a word of its own; frontend/parse/tokens.cpp says so.
OPEN_STRING   : '"' ~["\r\n]* ;
BLOCK_COMMENT : '/*' .*? '*/' ;
OPEN_COMMENT  : '/*' ;
BAD           : . ;
