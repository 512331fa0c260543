import { ClientError } from '../errors.ts'
import { printable } from '../util/printable.ts'

const MAX_MESSAGE = 1_024

/**
 * Why a skill or a file was rejected.
 *
 * - `malformed`: the entry is invalid
 * - `too-large`: the skill has more files or bytes than allowed
 * - `dynamic`: the skill has no digests, and the options do not allow such skills
 * - `unlisted`: the entry does not list the file
 * - `size`, `digest`: the content does not match the entry; the entry may be out of date: see `Skills.get`
 * - `frontmatter`: the frontmatter of `SKILL.md` does not match the entry
 * - `unreadable`: the server sent no valid content
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

/** Thrown if a skill or a file fails verification. */
export class SkillRefusedError extends ClientError {
  readonly reason: SkillRefusal
  /** The URI of the skill or the file. */
  readonly uri: string

  constructor(reason: SkillRefusal, uri: string, problem: string, options?: ErrorOptions) {
    super('skill-refused', printable(`${uri.slice(0, 512)} ${problem}`, MAX_MESSAGE), options)
    this.reason = reason
    this.uri = uri
  }
}
