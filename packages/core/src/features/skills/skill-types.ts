import type { RequestContext } from '../../call/request-context.ts'

/**
 * What a file of a skill is: text, bytes, or a function that makes it anew for every read. A skill with such a function
 * has no digests (`"resources": "dynamic"`), and hosts may decline it.
 */
export type SkillContent<App = unknown, Locals = unknown> =
  | string
  | Uint8Array
  | ((ctx: RequestContext<App, Locals>) => string | Uint8Array | Promise<string | Uint8Array>)

/**
 * A skill: a folder of files with instructions in its `SKILL.md`. It has either `instructions` or a file `SKILL.md`.
 *
 * At most 512 files and 16 MiB, those of skills nested in it included, as hosts are held to accept no more:
 * https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export interface SkillDefinition<App = unknown, Locals = unknown> {
  /** 1 to 64 of a-z, 0-9 and single hyphens between them. */
  readonly name: string
  /** What the skill does and when to use it: 1 to 1024 characters. */
  readonly description: string
  /**
   * The path of the skill below `skill://`, such as `acme/billing/refunds`. Its last segment is the name; those before
   * it are of a-z, 0-9, ".", "_", "~" and "-". @default the name
   */
  readonly path?: string
  /** The other fields of the frontmatter, such as `license` or `metadata`; plain JSON. */
  readonly frontmatter?: Readonly<Record<string, unknown>>
  /** What `SKILL.md` says below its frontmatter, which is written from the fields above. */
  readonly instructions?: SkillContent<App, Locals>
  /**
   * By path from the skill's folder, such as `references/FORMS.md`. A `SKILL.md` among them is served as it is, and its
   * frontmatter has to say what the fields above say.
   */
  readonly files?: Readonly<Record<string, SkillContent<App, Locals>>>
}

/** Any skill, for lists of them. */
export type AnySkill = SkillDefinition<never, never>

/** A file as a manifest lists it. */
export interface SkillResource {
  readonly uri: string
  /** `sha256:` and 64 hexadecimal digits, of the raw bytes. */
  readonly digest: string
  /** Raw bytes. */
  readonly size: number
}

/** A skill as `skills/list` and `skills/get` show it. */
export interface Skill {
  readonly uri: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly resources: readonly SkillResource[] | 'dynamic'
}
