import type { Client } from '@jetway/client'
import { type LoadedSkill, type Skill, Skills } from '@jetway/client/skills'

// #region load
/** What the user has agreed to, by the host's own name for the server, the skill's address and its fingerprint. */
export interface Approvals {
  has(server: string, uri: string, fingerprint: string): boolean
  /** Asks, and remembers a yes where there is a fingerprint. */
  ask(server: string, skill: Skill, fingerprint: string | undefined): Promise<boolean>
}

/** Loads a skill for the model, once the user agrees to it as it is now. */
export async function loadSkill(
  client: Client,
  uri: string,
  approvals: Approvals,
): Promise<LoadedSkill | undefined> {
  const skills = new Skills(client)
  const server = client.name ?? 'unnamed'
  const skill = await skills.get(uri)
  const fingerprint = await Skills.fingerprint(skill)
  const known = fingerprint !== undefined && approvals.has(server, uri, fingerprint)
  if (!known && !(await approvals.ask(server, skill, fingerprint))) return undefined
  return skills.load(skill)
}
// #endregion
