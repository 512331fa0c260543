/** A file in a manifest. */
export interface SkillResource {
  readonly uri: string
  /** `sha256:` and 64 hexadecimal digits, of the raw bytes. */
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
