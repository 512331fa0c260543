import { basename, sep } from 'node:path'

/** A problem with one field of one server. The message does not contain values from the file. */
export class EntryError extends Error {
  /** The field; undefined if the problem concerns the whole server. */
  readonly field: string | undefined

  constructor(field: string | undefined, message: string) {
    super(message)
    this.field = field
  }
}

export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userHome: string
  readonly workspaceFolder: string
  /** Returns the value of an input. @throws EntryError if the input has no value */
  readonly input: (id: string, field: string) => Promise<string>
}

export interface Place {
  readonly field: string
  /** The names in the server's own `env`. The server may expand them itself. */
  readonly own: ReadonlySet<string>
}

/** https://code.claude.com/docs/en/mcp#environment-variable-expansion-in-mcp-json */
const WITH_DEFAULT = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/

/** Replaces variables. Values are not expanded again. @throws EntryError if a variable has no value */
export async function expand(text: string, place: Place, variables: Variables): Promise<string> {
  let expanded = ''
  let from = 0
  for (;;) {
    const start = text.indexOf('${', from)
    const end = start < 0 ? -1 : text.indexOf('}', start)
    if (end < 0) return expanded + text.slice(from)
    const value = await valueOf(text.slice(start + 2, end), place, variables)
    expanded += text.slice(from, start) + (value ?? text.slice(start, end + 1))
    from = end + 1
  }
}

/** Returns the value of a variable, or undefined if the text should remain unchanged. */
async function valueOf(inner: string, place: Place, variables: Variables): Promise<string | undefined> {
  const { field, own } = place
  if (inner.includes('${')) throw new EntryError(field, 'has nested variables, which are not supported')
  const predefined = predefinedOf(inner, variables)
  if (predefined !== undefined) return predefined
  const [kind, name] = splitAtColon(inner)
  if (kind === 'input' && name !== '') return variables.input(name, field)
  if (kind === 'env' && name !== '') return needed(held(name, variables), name, field)
  const [, plain, fallback] = WITH_DEFAULT.exec(inner) ?? []
  if (plain === undefined)
    throw new EntryError(
      field,
      `uses ${JSON.stringify(`\${${inner.slice(0, 64)}}`)}, which only its own host knows`,
    )
  const value = held(plain, variables) ?? fallback
  // Hosts that do not expand variables pass them on to the server unchanged.
  if (value === undefined && own.has(plain)) return undefined
  return needed(value, plain, field)
}

/** Returns an environment variable, ignoring inherited members such as `constructor`. */
const held = (name: string, { env }: Variables) => (Object.hasOwn(env, name) ? env[name] : undefined)

/** See https://code.visualstudio.com/docs/reference/variables-reference and https://cursor.com/docs/mcp. */
const predefinedOf = (name: string, { userHome, workspaceFolder }: Variables) =>
  new Map([
    ['userHome', userHome],
    ['workspaceFolder', workspaceFolder],
    ['cwd', workspaceFolder],
    ['workspaceFolderBasename', basename(workspaceFolder)],
    ['pathSeparator', sep],
    ['/', sep],
  ]).get(name)

function splitAtColon(inner: string): readonly [kind: string, name: string] {
  const at = inner.indexOf(':')
  return at < 0 ? ['', inner] : [inner.slice(0, at), inner.slice(at + 1)]
}

function needed(value: string | undefined, name: string, field: string): string {
  if (value !== undefined) return value
  throw new EntryError(field, `needs the environment variable ${name}, which is not set`)
}
