import { listRoots, type McpServer, type Question, type RequestContext, type Root } from '@jetway/core'
import { AllowedDirectories, directoriesOfRoots } from './allowed-directories.ts'

type Caller = Pick<RequestContext, 'client' | 'session'>
type Answered = Caller & { readonly answers: { readonly roots: readonly Root[] | undefined } }

/**
 * The directories for each caller: the client's roots if it has ever had valid ones, otherwise the directories
 * from the command line. Every tool asks for the roots, but the question is sent only once per session, and
 * again after the roots have changed.
 */
export class Directories {
  readonly #default: AllowedDirectories
  readonly #bySession = new Map<string, AllowedDirectories>()
  /** The sessions whose directories are up to date with their roots. */
  readonly #current = new Set<string>()

  constructor(server: McpServer, list: readonly string[]) {
    this.#default = new AllowedDirectories(list)
    server.on('roots:change', ({ sessionId }) => void this.#current.delete(sessionId))
    server.on('session:close', ({ sessionId }) => {
      this.#current.delete(sessionId)
      this.#bySession.delete(sessionId)
    })
  }

  /** Asks for the client's roots. This is meant for a tool's `asks`. */
  readonly roots = (_args: unknown, { client, session }: Caller): Question<readonly Root[]> | undefined =>
    client.supports('roots') && !this.#current.has(session?.id ?? '') ? listRoots() : undefined

  async of({ session, answers: { roots } }: Answered): Promise<AllowedDirectories> {
    const id = session?.id ?? ''
    const last = this.#bySession.get(id) ?? this.#default
    if (roots === undefined) return last
    const list = await directoriesOfRoots(roots.map(({ uri }) => uri))
    const allowed = list.length === 0 ? last : new AllowedDirectories(list)
    if (session !== undefined) {
      this.#bySession.set(id, allowed)
      this.#current.add(id)
    }
    return allowed
  }

  /** Checks a path; see {@link AllowedDirectories.resolve}. */
  async resolve(path: string, ctx: Answered): Promise<string> {
    return (await this.of(ctx)).resolve(path)
  }
}
