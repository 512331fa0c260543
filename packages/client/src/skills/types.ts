/** A file in the manifest of a skill. */
export interface SkillResource {
  readonly uri: string
  /** The digest of the raw bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  /** The number of raw bytes. */
  readonly size: number
}

/** An entry of `skills/list` and `skills/get`. */
export interface Skill {
  readonly uri: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly resources: readonly SkillResource[] | 'dynamic'
}
