import type { Skill, SkillResource } from './types.ts'
import type { RequestOptions } from '../options/options.ts'
import { isInside, rootOf } from './entry.ts'
import { SkillRefusedError } from './errors.ts'
import { toText, verifyFile } from './verify.ts'

/** A file in a skill, verified against its digest. */
export interface SkillFile {
  readonly uri: string
  readonly bytes: Uint8Array
  /** Returns the file's text. @throws SkillRefusedError `unreadable` if it is not UTF-8 */
  text(): string
}

export interface LoadedSkillOptions {
  readonly read: (uri: string, options: RequestOptions | undefined) => Promise<Uint8Array<ArrayBuffer>>
  readonly maxBytes: number
}

const NO_FILE = 'is not a file of the skill'

/**
 * A skill whose `SKILL.md` matches its entry. Files that are not in the entry, or that have changed since,
 * cannot be read. Files are cached, except those of a skill without digests.
 */
export class LoadedSkill {
  readonly skill: Skill
  /** The whole `SKILL.md`. It comes from the server, so do not trust it. */
  readonly document: string
  readonly #options: LoadedSkillOptions
  readonly #listed: ReadonlyMap<string, SkillResource> | undefined
  readonly #kept = new Map<string, SkillFile>()
  /**
   * The number of bytes read so far. It can exceed the size stated in the entry only if the skill has no
   * digests.
   */
  #bytes: number

  constructor(skill: Skill, bytes: Uint8Array<ArrayBuffer>, options: LoadedSkillOptions) {
    this.skill = skill
    this.document = toText(skill.uri, bytes)
    this.#options = options
    this.#bytes = bytes.length
    if (skill.resources === 'dynamic') return
    this.#listed = new Map(skill.resources.map((file) => [file.uri, file]))
    this.#keep(skill.uri, bytes)
  }

  /**
   * Reads a file.
   *
   * @param reference - a path in the skill's folder, such as `references/FORMS.md`, or the file's URI
   * @throws SkillRefusedError `unlisted`, `size`, `digest`, `unreadable`, `too-large`; and the client's errors
   */
  async read(reference: string, options?: RequestOptions): Promise<SkillFile> {
    const uri = this.#resolve(reference)
    const kept = this.#kept.get(uri)
    if (kept !== undefined) return kept
    const bytes = await this.#options.read(uri, options)
    const listed = this.#listed?.get(uri)
    if (listed !== undefined) {
      await verifyFile(listed, bytes)
      return this.#keep(uri, bytes)
    }
    this.#bytes += bytes.length
    const { maxBytes } = this.#options
    if (this.#bytes > maxBytes)
      throw new SkillRefusedError('too-large', this.skill.uri, `has sent more than ${maxBytes} bytes`)
    return fileOf(uri, bytes)
  }

  #keep(uri: string, bytes: Uint8Array<ArrayBuffer>): SkillFile {
    const file = fileOf(uri, bytes)
    this.#kept.set(uri, file)
    return file
  }

  #resolve(reference: string): string {
    const root = rootOf(this.skill)
    const path = reference.startsWith(`${root}/`) ? reference.slice(root.length + 1) : reference
    // An unpaired surrogate cannot be encoded.
    if (/^(?:[a-z][a-z0-9+.-]*:|\/)|\p{Surrogate}/iu.test(path))
      throw new SkillRefusedError('unlisted', reference, NO_FILE)
    const segments: string[] = []
    for (const segment of path.split('/')) {
      if (segment === '..' && segments.pop() === undefined)
        throw new SkillRefusedError('unlisted', reference, NO_FILE)
      if (segment !== '' && segment !== '.' && segment !== '..') segments.push(segment)
    }
    const plain = `${root}/${segments.join('/')}`
    const encoded = `${root}/${segments.map(encodeURIComponent).join('/')}`
    const found = this.#listed === undefined ? plain : [plain, encoded].find((uri) => this.#listed?.has(uri))
    if (found === undefined || !isInside(root, found))
      throw new SkillRefusedError('unlisted', reference, NO_FILE)
    return found
  }
}

const fileOf = (uri: string, bytes: Uint8Array<ArrayBuffer>): SkillFile => ({
  uri,
  bytes,
  text: () => toText(uri, bytes),
})
