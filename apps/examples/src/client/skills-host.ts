import type { Client } from '@jetway/client'
import { type LoadedSkill, type Skill, Skills } from '@jetway/client/skills'

// #region load
/** The user's approvals, keyed by the host's name for the server, the skill's URI and its fingerprint. */
export interface Approvals {
  has(server: string, uri: string, fingerprint: string): boolean
  /** Asks the user. If there is a fingerprint, remembers a positive answer. */
  ask(server: string, skill: Skill, fingerprint: string | undefined): Promise<boolean>
}

/** Loads a skill for the model after the user has approved its current version. */
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
