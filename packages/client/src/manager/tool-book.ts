import type { Tool } from '@jetway/core/protocol'
import { ClientError } from '../errors.ts'
import { shown, unknownServer, unknownTool } from './errors.ts'
import type { KeptList } from './kept-list.ts'
import { isFullName, type NamedTool, nameTools, plainName, toolIn } from './tool-names.ts'
import type { ToolTest } from './tool-filter.ts'

/** What of a server its tools' names are made from. */
export interface ToolSource {
  readonly name: string
  readonly allows: ToolTest
  readonly tools: KeptList<Tool>
  /** Whether its list can be asked for now; else the last one has to do. */
  readonly connected: boolean
}

export interface ToolBookOptions {
  /** All servers that there are, in the order in which they came. */
  readonly sources: () => readonly ToolSource[]
  readonly maxNameLength: number | undefined
}

interface Edition {
  readonly lists: readonly (readonly Tool[] | undefined)[]
  readonly servers: readonly string[]
  readonly tools: Promise<readonly NamedTool[]>
}

/** The tools of all servers by their full names, and back. */
export class ToolBook {
  readonly #options: ToolBookOptions
  #edition: Edition | undefined

  constructor(options: ToolBookOptions) {
    this.#options = options
  }

  /** All tools, after the lists that are out of date were asked for. */
  async all(): Promise<readonly NamedTool[]> {
    await refresh(this.#options.sources())
    return this.#named()
  }

  /**
   * Which tool a full name means. Lists are asked for where the name does not appear in those that are known.
   *
   * @throws ClientError `unknown-tool`, `unknown-server`
   */
  async find(fullName: string): Promise<{ readonly server: string; readonly tool: string }> {
    if (!isFullName(fullName)) throw await this.#noFullName(fullName)
    const sources = this.#mayHave(fullName)
    if (sources.length === 0)
      throw unknownServer(
        `in ${fullName}`,
        this.#options.sources().map(({ name }) => name),
      )
    await refresh(sources.filter(({ tools }) => tools.items === undefined))
    const found = await this.#lookUp(fullName)
    if (found !== undefined) return found
    await refresh(sources)
    const now = (await this.#lookUp(fullName)) ?? unlisted(fullName, sources)
    if (now === undefined) throw await this.#noTool(fullName, sources)
    return now
  }

  /**
   * Checks that a server has a tool, and that it may be used. Where its list cannot be had, the server is to say.
   *
   * @throws ClientError `unknown-tool`, `not-approved`
   */
  async check(source: ToolSource, tool: string): Promise<void> {
    if (!source.allows(tool))
      throw new ClientError(
        'not-approved',
        `The tool ${shown(tool)} of the server ${shown(source.name)} is not to be used here`,
      )
    const has = (): boolean => source.tools.items?.some(({ name }) => name === tool) ?? false
    if (has()) return
    await refresh([source])
    if (has() || source.tools.items === undefined) return
    throw unknownTool(`${tool} on the server ${source.name}`, visible(source).map(nameOf))
  }

  /** With names of their own, or digests in them, any server may be meant. */
  #mayHave(fullName: string): readonly ToolSource[] {
    const { sources, maxNameLength } = this.#options
    if (maxNameLength !== undefined) return sources()
    return sources().filter(({ name }) => toolIn(fullName, name) !== undefined)
  }

  async #lookUp(fullName: string): Promise<{ readonly server: string; readonly tool: string } | undefined> {
    const found = (await this.#named()).find(({ name }) => name === fullName)
    return found === undefined ? undefined : { server: found.server, tool: found.tool.name }
  }

  /** The names of what is known, worked out again only when one of the lists is another one. */
  #named(): Promise<readonly NamedTool[]> {
    const sources = this.#options.sources()
    const lists = sources.map(({ tools }) => tools.items)
    const servers = sources.map(({ name }) => name)
    const last = this.#edition
    if (last !== undefined && same(last.lists, lists) && same(last.servers, servers)) return last.tools
    const tools = nameTools(
      sources.flatMap((source) => visible(source).map((tool) => ({ server: source.name, tool }))),
      this.#options.maxNameLength,
    )
    this.#edition = { lists, servers, tools }
    return tools
  }

  async #noFullName(name: string): Promise<ClientError> {
    const known = (await this.#named()).map(({ name: full }) => full)
    return new ClientError(
      'unknown-tool',
      `${shown(name)} is no full name of a tool: those are mcp__server__tool. ${unknownTool(name, known).message}`,
    )
  }

  async #noTool(fullName: string, sources: readonly ToolSource[]): Promise<ClientError> {
    const servers = new Set(sources.map(({ name }) => name))
    const known = (await this.#named()).filter(({ server }) => servers.has(server))
    const meant = known.filter(({ server, tool }) => plainName(server, tool.name) === fullName)
    if (meant.length > 1)
      return new ClientError(
        'unknown-tool',
        `${shown(fullName)} could be any of ${meant.length} tools: say ${meant.map(({ name }) => shown(name)).join(' or ')}`,
      )
    return unknownTool(
      fullName,
      known.map(({ name }) => name),
    )
  }
}

const nameOf = ({ name }: Tool): string => name

/** Of two tools with one name the first counts: the second cannot be called. */
function visible({ tools, allows }: ToolSource): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of tools.items ?? [])
    if (allows(tool.name) && !byName.has(tool.name)) byName.set(tool.name, tool)
  return [...byName.values()]
}

async function refresh(sources: readonly ToolSource[]): Promise<void> {
  await Promise.all(sources.filter(({ connected }) => connected).map(({ tools }) => tools.refresh()))
}

const same = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, at) => each === others[at])

/** A server that has never given its list may have the tool all the same, if the name can mean no other. */
function unlisted(
  fullName: string,
  sources: readonly ToolSource[],
): { readonly server: string; readonly tool: string } | undefined {
  const [only, ...others] = sources
  if (only === undefined || others.length > 0 || only.tools.items !== undefined) return undefined
  const tool = toolIn(fullName, only.name)
  return tool === undefined ? undefined : { server: only.name, tool }
}
