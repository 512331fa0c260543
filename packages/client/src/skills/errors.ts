import { ClientError } from '../errors.ts'
import { printable } from '../printable.ts'

/** Of a message, in characters. */
const MAX_MESSAGE = 1_024

/**
 * Why a skill, or a file of it, is not to be used:
 *
 * - `malformed`: its entry is not what an entry has to be
 * - `too-large`: it has more files, or more bytes, than the limits allow
 * - `dynamic`: it has no digests, and the options refuse such skills
 * - `unlisted`: the file is none that the entry lists
 * - `size`, `digest`: the content is not what the entry describes; it may be stale: `Skills.get` gives the current entry
 * - `frontmatter`: its `SKILL.md` says of itself something else than the entry does
 * - `unreadable`: the server has answered with something that is no content of a file
 */
export type SkillRefusal =
  | 'malformed'
  | 'too-large'
  | 'dynamic'
  | 'unlisted'
  | 'size'
  | 'digest'
  | 'frontmatter'
  | 'unreadable'

/** A skill is not loaded, or a file of it not handed out, since it does not stand up to verification. */
export class SkillRefusedError extends ClientError {
  readonly reason: SkillRefusal
  /** Of the skill or the file. */
  readonly uri: string

  constructor(reason: SkillRefusal, uri: string, problem: string, options?: ErrorOptions) {
    super('skill-refused', printable(`${uri.slice(0, 512)} ${problem}`, MAX_MESSAGE), options)
    this.reason = reason
    this.uri = uri
  }
}
