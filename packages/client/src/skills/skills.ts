import {
  isObject,
  type JsonObject,
  type ReadResourceResult,
  type Resource,
  type ServerCapabilities,
} from '@jetway/core/protocol'
import type { Skill, SkillResource } from './types.ts'
import { ClientError, invalidResponse } from '../errors.ts'
import { followPages } from '../client/lists.ts'
import { checkType } from '../client/results.ts'
import { DEFAULTS, type RequestOptions } from '../options/options.ts'
import { withDefaults } from '../util/defaults.ts'
import { readEntry } from './entry.ts'
import { SkillRefusedError } from './errors.ts'
import { LoadedSkill } from './loaded-skill.ts'
import { bytesOf, digestOf, verifyDocument, verifyFile } from './verify.ts'

const EXTENSION = 'io.modelcontextprotocol/skills'

/** A connected `Client`. */
export interface SkillServer {
  readonly server: { readonly capabilities: ServerCapabilities } | undefined
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  readResource(uri: string, options?: RequestOptions): Promise<ReadResourceResult>
}

/** Options of `Skills`. */
export interface SkillsOptions {
  /** Whether to load skills without digests. These may change after the user's approval. @default 'refuse' */
  readonly dynamic?: 'refuse' | 'load'
  /** The maximum number of files in one skill. All hosts accept 512 files. @default 512 */
  readonly maxFiles?: number
  /** The maximum size of all files in one skill, in bytes. All hosts accept 16 MiB. @default 16_777_216 */
  readonly maxBytes?: number
  /** Called for malformed entries, which are omitted from the list. */
  readonly onError?: (error: Error) => void
}

const LIMITS = { maxFiles: 512, maxBytes: 16 * 1024 * 1024 }

/**
 * The skills of a server: instructions for a model, and their files. `list` reads only the entries, `load`
 * reads a `SKILL.md`, and {@link LoadedSkill.read} reads a file. All content is verified against the entry.
 * However, both come from the same server. Therefore, ask the user before loading a skill, remember the
 * approval by its {@link Skills.fingerprint}, and grant no permissions that the frontmatter requests.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export class Skills {
  readonly #server: SkillServer
  readonly #options: SkillsOptions & typeof LIMITS

  constructor(server: SkillServer, options: SkillsOptions = {}) {
    this.#server = server
    this.#options = withDefaults(options, LIMITS)
  }

  /** Whether the server has declared skills. */
  get offered(): boolean {
    return this.#settings !== undefined
  }

  get #settings(): JsonObject | undefined {
    const extension = this.#server.server?.capabilities.extensions?.[EXTENSION]
    return isObject(extension) ? extension : undefined
  }

  /**
   * Lists entries. A server may have skills that it does not list: see {@link get}. Names are not unique, so
   * show the URIs if a name occurs more than once.
   *
   * @throws ClientError `not-supported`, `endless-list`; McpError
   */
  async list(options?: RequestOptions): Promise<readonly Skill[]> {
    const all: Skill[] = []
    for await (const entry of this.#entries('skills/list', 'skills', {}, options)) {
      try {
        all.push(readEntry(entry))
      } catch (error) {
        this.#options.onError?.(error as SkillRefusedError)
      }
    }
    return all
  }

  /**
   * Fetches the current entry of a skill, even if the skill is not listed.
   *
   * @param uri - the URI of the skill's `SKILL.md`
   * @throws SkillRefusedError `malformed`; ClientError `not-supported`; McpError -32602 if there is no such
   * skill
   */
  async get(uri: string, options?: RequestOptions): Promise<Skill> {
    const { skill } = await this.#request('skills/get', { uri }, options)
    const entry = readEntry(skill)
    if (entry.uri === uri) return entry
    throw new SkillRefusedError('malformed', uri, "was answered with another skill's entry")
  }

  /**
   * Reads a skill's `SKILL.md` and verifies it. If it has changed, {@link get} the current entry and ask the
   * user again.
   *
   * @param skill - the skill's entry, or the URI of its `SKILL.md`
   * @throws SkillRefusedError; ClientError `not-supported`; McpError
   */
  async load(skill: Skill | string, options?: RequestOptions): Promise<LoadedSkill> {
    const entry = typeof skill === 'string' ? await this.get(skill, options) : readEntry(skill)
    const { maxBytes } = this.#options
    const document = this.#checkLimits(entry)
    this.#offeredSettings()
    const read = async (uri: string, how: RequestOptions | undefined): Promise<Uint8Array<ArrayBuffer>> =>
      bytesOf(uri, await this.#server.readResource(uri, how))
    const bytes = await read(entry.uri, options)
    if (document !== undefined) await verifyFile(document, bytes)
    else if (bytes.length > maxBytes) throw tooLarge(entry.uri, `has more than ${maxBytes} bytes`)
    verifyDocument(entry, bytes)
    return new LoadedSkill(entry, bytes, { read, maxBytes })
  }

  /** Lists a folder on the server. This does not add files to a loaded skill. */
  async readDirectory(uri: string, options?: RequestOptions): Promise<readonly Resource[]> {
    if (this.#offeredSettings()['directoryRead'] !== true)
      throw new ClientError('not-supported', 'The server has not declared directoryRead')
    const all: Resource[] = []
    for await (const child of this.#entries('resources/directory/read', 'resources', { uri }, options))
      if (isObject(child) && typeof child['uri'] === 'string') all.push(child as unknown as Resource)
    return all
  }

  /**
   * Returns a string that identifies a version of a skill. Store it with the server and the URI to remember
   * an approval. Resolves to undefined if the skill has no digests, because then the approval cannot be
   * remembered.
   */
  static async fingerprint({ resources }: Skill): Promise<string | undefined> {
    if (resources === 'dynamic') return undefined
    const files = resources.map(({ uri, digest }) => JSON.stringify([uri, digest])).toSorted()
    return digestOf(new TextEncoder().encode(files.join('\n')))
  }

  #checkLimits({ uri, resources }: Skill): SkillResource | undefined {
    const { dynamic = 'refuse', maxFiles, maxBytes } = this.#options
    if (resources === 'dynamic') {
      if (dynamic === 'load') return undefined
      throw new SkillRefusedError(
        'dynamic',
        uri,
        "has no digests: set dynamic to 'load' to accept such skills",
      )
    }
    if (resources.length > maxFiles) throw tooLarge(uri, `has more than ${maxFiles} files`)
    if (resources.reduce((sum, { size }) => sum + size, 0) > maxBytes)
      throw tooLarge(uri, `has more than ${maxBytes} bytes`)
    return resources.find((file) => file.uri === uri)
  }

  #entries(method: string, member: string, params: JsonObject, options?: RequestOptions) {
    return followPages(method, DEFAULTS, async (cursor) => {
      const sent = cursor === undefined ? params : { ...params, cursor }
      const { [member]: items, nextCursor } = await this.#request(method, sent, options)
      if (!Array.isArray(items)) throw invalidResponse(method, `it has no list "${member}"`)
      return { items, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined }
    })
  }

  async #request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    this.#offeredSettings()
    return checkType(method, await this.#server.request(method, params, options))
  }

  #offeredSettings(): JsonObject {
    const settings = this.#settings
    if (settings === undefined)
      throw new ClientError('not-supported', 'The server has not declared the skills extension')
    return settings
  }
}

const tooLarge = (uri: string, problem: string) => new SkillRefusedError('too-large', uri, problem)
