/** Words that cannot be names of constants, or that would shadow a global name. */
const RESERVED = new Set(
  (
    'abstract any arguments as async await bigint boolean break case catch class const continue debugger declare default ' +
    'delete do else enum eval export extends false finally for from function get if implements import in Infinity ' +
    'instanceof interface keyof let module namespace NaN never new null number object of package private protected ' +
    'public readonly remoteTool RemoteTool return set static string super switch symbol this throw true try type typeof ' +
    'undefined unique unknown using var void while with yield'
  ).split(' '),
)

const MAX_NAME = 100

/** Creates unique identifiers from untrusted names. */
export class Names {
  readonly #used = new Set<string>()

  /** Converts `get_order` to `getOrder`. */
  constant(name: string): string {
    const pascal = pascalCase(name)
    return this.#unique(pascal.charAt(0).toLowerCase() + pascal.slice(1), 'Tool')
  }

  /** Converts `get_order` to `GetOrder`, and appends the ending. */
  type(name: string, ending: string): string {
    return this.#unique(pascalCase(name) + ending, 'Type')
  }

  #unique(wanted: string, ending: string): string {
    const base = RESERVED.has(wanted) ? wanted + ending : wanted
    let name = base
    for (let number = 2; this.#used.has(name); number++) name = `${base}${number}`
    this.#used.add(name)
    return name
  }
}

function pascalCase(name: string): string {
  const words = name.slice(0, MAX_NAME).match(/[A-Za-z\d]+/g) ?? ['tool']
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return /^\d/.test(joined) ? `N${joined}` : joined
}
