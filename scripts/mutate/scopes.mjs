/** Finds the functions and blocks in the sources, and determines which of them run a given place. */
import { dirname, join } from 'node:path/posix'
import { parseSync, Visitor } from 'oxc-parser'

/**
 * A function or a block. The range from `start` to `end` includes its parameters. `body` begins directly after
 * the brace, or at the expression of an arrow function. Such an expression ends at `expressionEnd`.
 *
 * @typedef {{ start: number, end: number, body: number, expressionEnd?: number }} Scope
 */

/** @returns {Scope[]} */
function scopesOf(program) {
  const scopes = []
  const block = ({ start, end }) => scopes.push({ start, end, body: start + 1 })
  const callable = ({ start, end, body }) => {
    if (!body) return
    if (body.type === 'BlockStatement') scopes.push({ start, end, body: body.start + 1 })
    else scopes.push({ start, end, body: body.start, expressionEnd: body.end })
  }
  const visitor = new Visitor({
    BlockStatement: block,
    FunctionDeclaration: callable,
    FunctionExpression: callable,
    ArrowFunctionExpression: callable,
  })
  visitor.visit(program)
  return scopes
}

/** Contains the scopes in all files, and which file imports which. */
export class Sources {
  /** @type {Map<string, Scope[]>} */
  #scopes = new Map()
  /** The files that import a file by a relative path. @type {Map<string, string[]>} */
  #importers = new Map()

  /** @param {Record<string, string>} texts the source code, keyed by path */
  constructor(texts) {
    for (const [file, text] of Object.entries(texts)) {
      const { program, module } = parseSync(file, text)
      this.#scopes.set(file, scopesOf(program))
      for (const { moduleRequest } of module.staticImports) {
        const imported = join(dirname(file), moduleRequest.value)
        this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), file])
      }
    }
  }

  /**
   * Returns the scopes that run a place: the innermost scope around it. A place outside functions runs once,
   * when its module loads, and its effects are used by functions in that module and in modules that import it.
   *
   * @returns {{ file: string, scope: Scope }[]}
   */
  running({ file, start }) {
    const around = this.#scopes.get(file).filter((scope) => scope.start <= start && start < scope.end)
    if (around.length > 0)
      return [{ file, scope: around.reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a)) }]
    const users = [file, ...(this.#importers.get(file) ?? [])]
    return users.flatMap((user) => (this.#scopes.get(user) ?? []).map((scope) => ({ file: user, scope })))
  }
}
