import type { RequestContext } from '@jetway/core'

/**
 * A file in a skill: a string, bytes, or a function that creates the file each time it is read. A skill with
 * such a function has no digests (`"resources": "dynamic"`), and hosts may refuse to use it.
 */
export type SkillContent<App = unknown, Locals = unknown> =
  | string
  | Uint8Array
  | ((ctx: RequestContext<App, Locals>) => string | Uint8Array | Promise<string | Uint8Array>)

/**
 * A skill: a folder of files, with instructions in its `SKILL.md`. Define either `instructions` or a file
 * named `SKILL.md`.
 *
 * A skill may have at most 512 files and 16 MiB, including the files of nested skills, because hosts are not
 * required to accept more. See
 * https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx.
 */
export interface SkillDefinition<App = unknown, Locals = unknown> {
  /** The name: 1 to 64 characters of a-z, 0-9, and single hyphens between them. */
  readonly name: string
  /** Describes the skill and when to use it, in 1 to 1024 characters. */
  readonly description: string
  /**
   * The path below `skill://`, such as `acme/billing/refunds`. The last segment is the name; the others
   * consist of a-z, 0-9, ".", "_", "~" and "-". @default the name
   */
  readonly path?: string
  /** Further fields of the frontmatter, such as `license` or `metadata`, as plain JSON. */
  readonly frontmatter?: Readonly<Record<string, unknown>>
  /** The text of `SKILL.md` below its frontmatter, which contains the fields above. */
  readonly instructions?: SkillContent<App, Locals>
  /**
   * The files, keyed by their path inside the skill's folder, such as `references/FORMS.md`. A `SKILL.md` is
   * served unchanged, and its frontmatter must contain the fields above.
   */
  readonly files?: Readonly<Record<string, SkillContent<App, Locals>>>
}

export type AnySkill = SkillDefinition<never, never>

/** A file in a manifest. */
export interface SkillResource {
  readonly uri: string
  /** The digest of the raw bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  /** Raw bytes. */
  readonly size: number
}

/** An entry of `skills/list` and `skills/get`. */
export interface Skill {
  readonly uri: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly resources: readonly SkillResource[] | 'dynamic'
}
