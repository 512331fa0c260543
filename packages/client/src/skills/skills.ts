import {
  isObject,
  type JsonObject,
  type ReadResourceResult,
  type Resource,
  type ServerCapabilities,
} from '@jetway/core/protocol'
import type { Skill } from '@jetway/core/skills'
import { ClientError, invalidAnswer } from '../errors.ts'
import { follow } from '../features/pages.ts'
import { checkType } from '../features/results.ts'
import { DEFAULTS, type RequestOptions } from '../options.ts'
import { readEntry } from './entry.ts'
import { SkillRefusedError } from './errors.ts'
import { LoadedSkill } from './loaded-skill.ts'
import { bytesOf, digestOf, verifyDocument, verifyFile } from './verify.ts'

const EXTENSION = 'io.modelcontextprotocol/skills'
const DIRECTORY_READ = 'resources/directory/read'

/** What skills are read through: a connected `Client`. */
export interface SkillServer {
  readonly server: { readonly capabilities: ServerCapabilities } | undefined
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>
}

/** Options of {@link Skills}. */
export interface SkillsOptions {
  /**
   * What becomes of skills whose content changes with every read: they have no digests, so that what was approved is not
   * what will be read.
   * @default 'refuse'
   */
  readonly dynamic?: 'refuse' | 'load'
  /** Files of one skill. Every host accepts 512. @default 512 */
  readonly maxFiles?: number
  /** Bytes of all files of one skill. Every host accepts 16 MiB. @default 16_777_216 */
  readonly maxBytes?: number
  /** Pages of the list that are followed. @default 64 */
  readonly maxPages?: number
  /** Skills that the list may have in all. @default 10_000 */
  readonly maxItems?: number
  /** Hears of entries that are none: they are left out of the list, and hide no other. */
  readonly onError?: (error: Error) => void
}

/**
 * The skills of one server: instructions for a model, with files beside them. Nothing is read ahead of need: listing
 * reads entries alone, `load` the `SKILL.md`, and {@link LoadedSkill.read} a file. Whatever is read is held against the
 * entry. A digest that is right makes nothing trustworthy: entry and content come from the same server. Ask a person
 * before a skill is loaded, remember their approval by {@link Skills.fingerprint}, and grant nothing that the frontmatter
 * asks for.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export class Skills {
  readonly #server: SkillServer
  readonly #options: SkillsOptions

  constructor(server: SkillServer, options: SkillsOptions = {}) {
    this.#server = server
    this.#options = options
  }

  /** Whether the server says that it has skills. */
  get offered(): boolean {
    return this.#settings !== undefined
  }

  get #settings(): JsonObject | undefined {
    const extension = this.#server.server?.capabilities.extensions?.[EXTENSION]
    return isObject(extension) ? extension : undefined
  }

  /**
   * The entries that the server lists. There may be others, of which {@link get} knows by their addresses. Names need
   * not be unique: show the addresses of those that are not.
   *
   * @throws ClientError `not-offered`, `endless-list`; McpError
   */
  async list(options?: RequestOptions): Promise<readonly Skill[]> {
    const { maxPages = DEFAULTS.maxPages, maxItems = DEFAULTS.maxItems } = this.#options
    const all: Skill[] = []
    const pages = follow('skills/list', { maxPages, maxItems }, (cursor) =>
      this.#page('skills/list', 'skills', cursor === undefined ? {} : { cursor }, options),
    )
    for await (const entry of pages) {
      try {
        all.push(readEntry(entry))
      } catch (error) {
        this.#options.onError?.(error as SkillRefusedError)
      }
    }
    return all
  }

  /**
   * The entry of one skill as it is now, listed or not.
   *
   * @param uri - of its `SKILL.md`
   * @throws SkillRefusedError `malformed`; ClientError `not-offered`; McpError -32602 where there is no such skill
   */
  async get(uri: string, options?: RequestOptions): Promise<Skill> {
    const { skill } = await this.#request('skills/get', { uri }, options)
    const entry = readEntry(skill)
    if (entry.uri === uri) return entry
    throw new SkillRefusedError('malformed', uri, 'was answered with the entry of another skill')
  }

  /**
   * Reads a skill's `SKILL.md`, and holds it against the entry. What has changed since is refused: {@link get} gives the
   * current entry, for a person to approve anew.
   *
   * @param skill - its entry, or the address of its `SKILL.md`
   * @throws SkillRefusedError; ClientError `not-offered`; McpError
   */
  async load(skill: Skill | string, options?: RequestOptions): Promise<LoadedSkill> {
    const entry = typeof skill === 'string' ? await this.get(skill, options) : readEntry(skill)
    const { maxBytes = 16 * 1024 * 1024 } = this.#options
    const document = this.#checkLimits(entry, maxBytes)
    this.#offeredSettings()
    const read = async (uri: string, how: RequestOptions | undefined): Promise<Uint8Array<ArrayBuffer>> =>
      bytesOf(uri, await this.#server.readResource(uri, how))
    const bytes = await read(entry.uri, options)
    if (document !== undefined) await verifyFile(document, bytes)
    else if (bytes.length > maxBytes) throw tooLarge(entry.uri, `has more than ${maxBytes} bytes`)
    verifyDocument(entry, bytes)
    return new LoadedSkill(entry, bytes, { read, maxBytes })
  }

  /** What a folder holds at the server now: an observation, which adds no file to a skill that is loaded. */
  async readDirectory(uri: string, options?: RequestOptions): Promise<readonly Resource[]> {
    if (this.#offeredSettings()['directoryRead'] !== true)
      throw new ClientError('not-offered', 'The server does not say that its folders can be read')
    const { maxPages = DEFAULTS.maxPages, maxItems = DEFAULTS.maxItems } = this.#options
    const all: Resource[] = []
    const pages = follow(DIRECTORY_READ, { maxPages, maxItems }, (cursor) =>
      this.#page(DIRECTORY_READ, 'resources', { uri, ...(cursor !== undefined && { cursor }) }, options),
    )
    for await (const child of pages)
      if (isObject(child) && typeof child['uri'] === 'string') all.push(child as unknown as Resource)
    return all
  }

  /**
   * A text to remember an approval by, together with the host's own name for the server and the skill's address: another
   * one when a file has come, gone or changed. Undefined where there are no digests, since such an approval cannot be
   * remembered.
   */
  static async fingerprint({ resources }: Skill): Promise<string | undefined> {
    if (resources === 'dynamic') return undefined
    const files = resources.map(({ uri, digest }) => JSON.stringify([uri, digest])).toSorted()
    return digestOf(new TextEncoder().encode(files.join('\n')))
  }

  #checkLimits(
    { uri, resources }: Skill,
    maxBytes: number,
  ): Exclude<Skill['resources'], 'dynamic'>[0] | undefined {
    const { dynamic = 'refuse', maxFiles = 512 } = this.#options
    if (resources === 'dynamic') {
      if (dynamic === 'load') return undefined
      throw new SkillRefusedError('dynamic', uri, 'changes with every read, and such skills are refused')
    }
    if (resources.length > maxFiles) throw tooLarge(uri, `has more than ${maxFiles} files`)
    if (resources.reduce((sum, { size }) => sum + size, 0) > maxBytes)
      throw tooLarge(uri, `has more than ${maxBytes} bytes`)
    return resources.find((file) => file.uri === uri)
  }

  async #page(
    method: string,
    member: string,
    params: JsonObject,
    options: RequestOptions | undefined,
  ): Promise<{ readonly items: readonly unknown[]; readonly nextCursor: string | undefined }> {
    const { [member]: items, nextCursor } = await this.#request(method, params, options)
    if (!Array.isArray(items)) throw invalidAnswer(method, `it has no list "${member}"`)
    return { items, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined }
  }

  async #request(
    method: string,
    params: JsonObject,
    options: RequestOptions | undefined,
  ): Promise<JsonObject> {
    this.#offeredSettings()
    return checkType(method, await this.#server.request(method, params, options))
  }

  #offeredSettings(): JsonObject {
    const settings = this.#settings
    if (settings === undefined)
      throw new ClientError('not-offered', 'The server does not say that it has skills')
    return settings
  }
}

const tooLarge = (uri: string, problem: string): SkillRefusedError =>
  new SkillRefusedError('too-large', uri, problem)
