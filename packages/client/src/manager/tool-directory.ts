import type { Tool } from '@jetway/core/protocol'
import { ClientError } from '../errors.ts'
import { shown, unknownServer, unknownTool } from './errors.ts'
import type { ManagedServer } from './managed-server.ts'
import type { ToolCall } from './options.ts'
import { isFullName, type NamedTool, nameTools, plainName, toolIn } from './tool-names.ts'

type Server = Pick<ManagedServer, 'name' | 'allows' | 'lists' | 'connected'>

type Found = Omit<ToolCall, 'args'>

export class ToolDirectory {
  readonly #servers: () => readonly Server[]
  readonly #maxNameLength: number | undefined
  /** The names, and the lists on which they are based. */
  #cached: { readonly key: readonly unknown[]; readonly tools: Promise<readonly NamedTool[]> } | undefined

  constructor(servers: () => readonly Server[], maxNameLength: number | undefined) {
    this.#servers = servers
    this.#maxNameLength = maxNameLength
  }

  async all(): Promise<readonly NamedTool[]> {
    await refresh(this.#servers())
    return this.#named()
  }

  /**
   * Finds a tool. Fetches lists only if the known lists do not contain the tool.
   *
   * @throws ClientError `unknown-tool`, `unknown-server`
   */
  async find(fullName: string): Promise<Found> {
    if (!isFullName(fullName)) throw await this.#notFullName(fullName)
    const servers = this.#candidates(fullName)
    if (servers.length === 0)
      throw unknownServer(
        `in ${fullName}`,
        this.#servers().map(({ name }) => name),
      )
    await refresh(servers.filter(({ lists }) => lists.tools.items === undefined))
    const known = await this.#lookUp(fullName)
    if (known !== undefined) return known
    await refresh(servers)
    const found = (await this.#lookUp(fullName)) ?? unlisted(fullName, servers)
    if (found === undefined) throw await this.#notFound(fullName, servers)
    return found
  }

  /**
   * Checks that a tool exists. If the list cannot be fetched, the check is skipped.
   * @throws ClientError `unknown-tool`, `not-approved`
   */
  async check(server: Server, tool: string): Promise<void> {
    if (!server.allows(tool))
      throw new ClientError(
        'not-approved',
        `The filter of the server ${shown(server.name)} does not allow the tool ${shown(tool)}`,
      )
    const { tools } = server.lists
    const has = (): boolean => tools.items?.some(({ name }) => name === tool) ?? false
    if (has()) return
    await refresh([server])
    if (has() || tools.items === undefined) return
    throw unknownTool(
      `${tool} on the server ${server.name}`,
      visible(server).map(({ name }) => name),
    )
  }

  /** Returns the servers that may have the tool. If the name was shortened, any server may have it. */
  #candidates(fullName: string): readonly Server[] {
    const servers = this.#servers()
    if (this.#maxNameLength !== undefined) return servers
    return servers.filter(({ name }) => toolIn(fullName, name) !== undefined)
  }

  async #lookUp(fullName: string): Promise<Found | undefined> {
    const found = (await this.#named()).find(({ name }) => name === fullName)
    return found && { server: found.server, tool: found.tool.name }
  }

  #named(): Promise<readonly NamedTool[]> {
    const servers = this.#servers()
    const key = servers.flatMap(({ name, lists }) => [name, lists.tools.items])
    const cached = this.#cached
    if (cached?.key.length === key.length && key.every((each, at) => each === cached.key[at]))
      return cached.tools
    const tools = nameTools(
      servers.flatMap((server) => visible(server).map((tool) => ({ server: server.name, tool }))),
      this.#maxNameLength,
    )
    this.#cached = { key, tools }
    return tools
  }

  async #notFullName(name: string): Promise<ClientError> {
    const known = (await this.#named()).map((tool) => tool.name)
    return new ClientError(
      'unknown-tool',
      `${shown(name)} is not a full name such as mcp__server__tool. ${unknownTool(name, known).message}`,
    )
  }

  async #notFound(fullName: string, servers: readonly Server[]): Promise<ClientError> {
    const names = new Set(servers.map(({ name }) => name))
    const known = (await this.#named()).filter(({ server }) => names.has(server))
    const meant = known.filter(({ server, tool }) => plainName(server, tool.name) === fullName)
    if (meant.length > 1)
      return new ClientError(
        'unknown-tool',
        `${shown(fullName)} is the name of ${meant.length} tools: use ${meant.map(({ name }) => shown(name)).join(' or ')}`,
      )
    return unknownTool(
      fullName,
      known.map(({ name }) => name),
    )
  }
}

/** Returns the tools that can be called. If two tools have the same name, only the first is returned. */
function visible({ lists, allows }: Server): readonly Tool[] {
  const byName = new Map<string, Tool>()
  for (const tool of lists.tools.items ?? [])
    if (allows(tool.name) && !byName.has(tool.name)) byName.set(tool.name, tool)
  return [...byName.values()]
}

async function refresh(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.filter(({ connected }) => connected).map(({ lists }) => lists.tools.refresh()))
}

/**
 * Finds the server for a name if the server's list has never been fetched and the name cannot belong to any
 * other server.
 */
function unlisted(fullName: string, servers: readonly Server[]): Found | undefined {
  const [only, ...others] = servers
  if (only === undefined || others.length > 0 || only.lists.tools.items !== undefined) return undefined
  const tool = toolIn(fullName, only.name)
  return tool === undefined ? undefined : { server: only.name, tool }
}
