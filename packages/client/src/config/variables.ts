import { basename, sep } from 'node:path'
import { EntryError } from './entry-error.ts'

/** What stands for the variables of a file. */
export interface Variables {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly userHome: string
  readonly workspaceFolder: string
  /** The answer to `${input:…}`. @throws EntryError where there is none */
  readonly input: (id: string, field: string) => Promise<string>
}

export interface Place {
  readonly field: string
  /** Variables that the server gets anyway, and may put in its arguments by itself. */
  readonly own: ReadonlySet<string>
}

/** https://code.claude.com/docs/en/mcp#environment-variable-expansion-in-mcp-json */
const WITH_DEFAULT = /^([A-Za-z_]\w*)(?::-([\s\S]*))?$/

/**
 * A text with its variables put in, once: what they hold is not read for variables again.
 *
 * @throws EntryError that names the variable, for one that has no value
 */
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

/** Undefined where the text stays as it is. */
async function valueOf(inner: string, place: Place, variables: Variables): Promise<string | undefined> {
  const { field, own } = place
  if (inner.includes('${'))
    throw new EntryError(field, 'has one variable inside another, which no host reads')
  const predefined = predefinedOf(inner, variables)
  if (predefined !== undefined) return predefined
  const [kind, name] = splitAtColon(inner)
  if (kind === 'input' && name !== '') return variables.input(name, field)
  if (kind === 'env' && name !== '') return needed(held(name, variables), name, field)
  const [, plain, fallback] = WITH_DEFAULT.exec(inner) ?? []
  if (plain === undefined)
    throw new EntryError(
      field,
      `uses ${JSON.stringify(`\${${inner.slice(0, 64)}}`)}, which only its host can fill in`,
    )
  const value = held(plain, variables) ?? fallback
  // Hosts that know no variables leave such a text to the server, which finds it in its environment.
  if (value === undefined && own.has(plain)) return undefined
  return needed(value, plain, field)
}

/** Every object has a `constructor`, and no environment does. */
const held = (name: string, { env }: Variables): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined

/** https://code.visualstudio.com/docs/reference/variables-reference, https://cursor.com/docs/mcp */
function predefinedOf(name: string, { userHome, workspaceFolder }: Variables): string | undefined {
  switch (name) {
    case 'userHome':
      return userHome
    case 'workspaceFolder':
    case 'cwd':
      return workspaceFolder
    case 'workspaceFolderBasename':
      return basename(workspaceFolder)
    case 'pathSeparator':
    case '/':
      return sep
    default:
      return undefined
  }
}

function splitAtColon(inner: string): readonly [kind: string, name: string] {
  const at = inner.indexOf(':')
  return at < 0 ? ['', inner] : [inner.slice(0, at), inner.slice(at + 1)]
}

function needed(value: string | undefined, name: string, field: string): string {
  if (value !== undefined) return value
  throw new EntryError(field, `needs the environment variable ${name}, which is not set`)
}
