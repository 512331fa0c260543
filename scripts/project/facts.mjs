/**
 * Reads `.github/project.json`, which contains the decisions that only the owner of the project can make. A
 * fact that is still undecided is `null`. No other file invents an address or a name.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FACTS_FILE = '.github/project.json'

/** The text that documents contain until the repository's address is decided. */
export const REPOSITORY_PLACEHOLDER = '<this repository>'

const HTTPS = /^https:\/\/[^\s/]+(?:\/[^\s/]+)*$/
const CONTACT = /^(?:[^\s@]+@[^\s@]+\.[^\s@]+|https:\/\/[^\s/]+(?:\/[^\s]*)?)$/
const HANDLE = /^@[A-Za-z0-9-]+(?:\/[A-Za-z0-9._-]+)?$/

/** @param {RegExp} pattern @returns {(value: unknown) => boolean} */
const matches = (pattern) => (value) => typeof value === 'string' && pattern.test(value)

/**
 * For each fact, a function that checks its value, and a description of the valid values.
 *
 * @type {Record<string, readonly [(value: any) => boolean, string]>}
 */
const FACTS = {
  owner: [matches(/^[A-Za-z0-9-]+$/), 'an account or organisation on GitHub, such as "acme"'],
  repository: [
    matches(/^https:\/\/github\.com\/[A-Za-z0-9-]+\/[A-Za-z0-9._-]+(?<!\.git)$/),
    'an address such as "https://github.com/acme/jetway"',
  ],
  homepage: [matches(HTTPS), 'an https address without a slash at its end'],
  docs: [matches(HTTPS), 'an https address without a slash at its end'],
  copyright: [matches(/\S/), 'the name in the licence'],
  securityContact: [matches(CONTACT), 'an e-mail address or an https address'],
  securityDays: [
    (value) => Number.isInteger(value) && value > 0,
    'the days within which a report gets its first answer, such as 7',
  ],
  conductContact: [matches(CONTACT), 'an e-mail address or an https address'],
  maintainers: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(matches(HANDLE)),
    'a list of handles, such as ["@alice", "@acme/core"]',
  ],
  mcpNamespace: [
    matches(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i),
    'the start of names in the MCP registry, such as "io.github.acme"',
  ],
  publishing: [(value) => value === 'staged' || value === 'direct', '"staged" or "direct"'],
}

/**
 * @param {Record<string, unknown>} facts
 * @returns {string[]} problems; facts may be `null` until the packages are published
 */
export function checkFacts(facts) {
  const problems = Object.keys(facts)
    .filter((name) => name !== 'published' && !Object.hasOwn(FACTS, name))
    .map(
      (name) => `${FACTS_FILE}: unknown fact ${name}; known are ${Object.keys(FACTS).join(', ')}, published`,
    )
  if (typeof facts.published !== 'boolean') problems.push(`${FACTS_FILE}: published must be true or false`)
  for (const [name, [fits, expected]] of Object.entries(FACTS)) {
    const value = facts[name]
    if (value === undefined)
      problems.push(`${FACTS_FILE}: ${name} is missing; set it to null if it is not decided`)
    else if (value === null && facts.published === true)
      problems.push(`${FACTS_FILE}: ${name} is null, but published is true; decide it first`)
    else if (value !== null && !fits(value)) problems.push(`${FACTS_FILE}: ${name} must be ${expected}`)
  }
  const { owner, repository } = facts
  if (typeof owner === 'string' && typeof repository === 'string' && !repository.includes(`.com/${owner}/`))
    problems.push(`${FACTS_FILE}: repository is not one of the owner ${owner}`)
  return problems
}

/**
 * @param {string} root
 * @returns {Record<string, any>} the facts of the project
 * @throws Error that lists all invalid facts
 */
export function readFacts(root) {
  const facts = JSON.parse(readFileSync(join(root, FACTS_FILE), 'utf8'))
  const problems = checkFacts(facts)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return facts
}

/** Returns the repository's address, or the placeholder for it. */
export const repositoryOf = ({ repository }) => repository ?? REPOSITORY_PLACEHOLDER
