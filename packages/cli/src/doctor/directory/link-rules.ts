import { characters } from '../../project/characters.ts'
import type { Facts } from './facts.ts'
import { broken, met, type Outcome } from './rule.ts'

const MAX_URL = 1_024

/** Checks a URL in `jetway.json`. */
export function link(value: string | undefined, member: string, what: string): Outcome {
  const advice = `Set "${member}" in jetway.json to the address of ${what}`
  if (value === undefined) return broken(`There is no address of ${what}`, advice)
  if (!URL.canParse(value) || new URL(value).protocol !== 'https:')
    return broken(`${value} is not https`, advice)
  if (value.length > MAX_URL)
    return broken(`The address of ${what} is longer than ${MAX_URL} characters`, 'Use a shorter one')
  return met(value)
}

/** Matches a heading or a link about privacy. */
const PRIVACY = /^#{1,6} .*\bprivacy\b|\[[^\]]*\bprivacy\b[^\]]*\]\(/im

/** Checks that the README has the privacy section that reviewers look for. */
export function readmePrivacy({ readme }: Facts): Outcome {
  if (readme === undefined)
    return broken('There is no README.md', 'Write one, with a section "Privacy Policy"')
  return PRIVACY.test(readme)
    ? met('README.md has it')
    : broken(
        'README.md says nothing about privacy',
        'Add a section "Privacy Policy" with the address of the policy',
      )
}

/** Checks the length of a string, in characters. */
export function textOf(value: string | undefined, max: number, member: string): Outcome {
  if (value === undefined || value.trim() === '') return broken('There is none', `Set ${member}`)
  const length = characters(value)
  return length <= max
    ? met(`${length} characters`)
    : broken(`It has ${length} characters, and at most ${max} are allowed`, `Shorten ${member}`)
}
