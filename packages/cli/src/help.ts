export const GENERAL_HELP = `jetway: the command line of Jetway

Usage
  jetway schemas build <server> [--out <folder>] [--export <name>]
  jetway schemas check [<server>] [--out <folder>] [--export <name>]

Commands
  schemas build    converts and compiles the schemas of a server into a module that it starts with
  schemas check    exits 1 and names the tools whose schemas are not those of the module

Options
  -h, --help       this text, or that of a command
  -v, --version    the version of @jetway/cli

Exit codes
  0 all is well, 1 it is not, 2 the command line cannot be understood`

export const SCHEMAS_HELP = `jetway schemas: a server that starts without converting or compiling a schema

Usage
  jetway schemas build <server> [--out <folder>] [--export <name>]
  jetway schemas check [<server>] [--out <folder>] [--export <name>]

  <server>              a module, TypeScript or JavaScript, that exports an McpServer; loading it runs it.
                        check knows it from the cache where it is left out
  -o, --out <folder>    where the cache is: index.js, and index.d.ts for TypeScript (default: schemas)
  -e, --export <name>   which export is the server (default: the default export, or the only one that is a server)

The server takes the cache as an option:

  import schemas from './schemas/index.js'
  export const server = new McpServer({ name: 'weather', version: '1.0.0' }, { schemas })

build writes an empty cache first where there is none, so that such a server can be loaded. Commit what it writes, run
check in CI, and build again when a schema changes, or the version of zod or Jetway does.

Exit codes
  0 all is well, 1 it is not, 2 the command line cannot be understood`
