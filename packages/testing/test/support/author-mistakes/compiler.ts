import { fileURLToPath } from 'node:url'
import ts from 'typescript6'

const folder = fileURLToPath(new URL('.', import.meta.url))
const base = fileURLToPath(new URL('../../../../../tsconfig.base.json', import.meta.url))
const { config } = ts.readConfigFile(base, (path) => ts.sys.readFile(path))
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)

const PRELUDE = `import { createServer, definePrompt, elicit, McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { mcp } from '@jetway/hono'
import { z } from 'zod'
const server = new McpServer({ name: 'mistakes', version: '1' })
const typed = createServer<{ user: string }>()({ name: 'typed', version: '1' })
`

let messages: ReadonlyMap<string, string> | undefined

/**
 * Compiles pieces of code, all at once, as an editor does. Returns what the compiler says about each of them.
 *
 * @param pieces - the code that each author writes, below the imports and servers of `PRELUDE`
 */
export function compilerMessages(pieces: readonly string[]): ReadonlyMap<string, string> {
  if (messages !== undefined) return messages
  const files = new Map(pieces.map((piece, index) => [`${folder}piece-${index}.ts`, PRELUDE + piece]))
  const disk = ts.createCompilerHost(options)
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => files.has(path) || disk.fileExists(path),
    readFile: (path) => files.get(path) ?? disk.readFile(path),
    getSourceFile(path, version, ...rest) {
      const text = files.get(path)
      if (text === undefined) return disk.getSourceFile(path, version, ...rest)
      return ts.createSourceFile(path, text, version)
    },
  }
  const program = ts.createProgram(
    [...files.keys()],
    { ...options, isolatedDeclarations: false, noUnusedLocals: false, types: [] },
    host,
  )
  messages = new Map(
    pieces.map((piece, index) => {
      const source = program.getSourceFile(`${folder}piece-${index}.ts`)
      const said = program
        .getSemanticDiagnostics(source)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      return [piece, said.join('\n')]
    }),
  )
  return messages
}
