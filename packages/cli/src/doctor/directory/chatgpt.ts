import { characters } from '../../project/characters.ts'
import { link, textOf } from './link-rules.ts'
import { broken, type DirectoryRule, met, type Outcome, skip, step } from './rule.ts'
import type { Image } from './facts.ts'
import {
  contradictsName,
  forTools,
  type Hint,
  HINT_CONTRADICTION,
  hintOf,
  isReadOnlyAndDestructive,
  NAME_CONTRADICTION,
  names,
} from './tool-rules.ts'

const SUBMISSION = { source: 'https://developers.openai.com/plugins/deploy/submission', read: '2026-11-27' }
const ERRORS = {
  source: 'https://developers.openai.com/plugins/deploy/submission-errors',
  read: '2026-11-27',
}

const MAX_NAME = 30
const MAX_SHORT = 30
const MAX_LONG = 4_000
const [MAX_PROMPTS, MAX_PROMPT] = [3, 128]
const [POSITIVE_CASES, NEGATIVE_CASES] = [5, 3]
const SCREENSHOT_WIDTH = 706

/** The key of `jetway.json` that contains the reason for each tool hint. */
export const REASONS: Readonly<Record<Hint, 'readOnly' | 'destructive' | 'openWorld'>> = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  openWorldHint: 'openWorld',
}

const HINTS = Object.keys(REASONS) as Hint[]

/** The requirements of OpenAI's directory. */
export const CHATGPT: readonly DirectoryRule[] = [
  {
    id: 'tool-hints',
    level: 'fault',
    ...ERRORS,
    check({ tools }) {
      const missing = HINTS.map(
        (hint) => [hint, tools.filter((tool) => hintOf(tool, hint) === undefined)] as const,
      )
        .filter(([, without]) => without.length > 0)
        .map(([hint, without]) => `${hint} is missing in ${names(without)}`)
      return missing.length === 0
        ? met('Each tool has all three hints')
        : broken(
            missing.join('\n'),
            'Set each of the three hints to true or false: a hint that is missing counts as true',
          )
    },
  },
  {
    id: 'tool-reasons',
    level: 'fault',
    ...SUBMISSION,
    check: (facts) =>
      forTools(
        facts,
        ({ name }) => {
          const reasons = facts.jetwayJson.tools?.[name] ?? {}
          return Object.values(REASONS).some((member) => reasons[member] === undefined)
        },
        {
          met: 'Each hint of each tool has a reason',
          broken: 'a reason is missing',
          advice:
            'Say for each tool why its hints are right: "tools" in jetway.json, with readOnly, destructive and openWorld',
        },
      ),
  },
  {
    id: 'tool-contradictions',
    level: 'fault',
    ...SUBMISSION,
    check: (facts) => forTools(facts, isReadOnlyAndDestructive, HINT_CONTRADICTION),
  },
  {
    id: 'tool-name-contradictions',
    level: 'warning',
    ...SUBMISSION,
    check: (facts) => forTools(facts, contradictsName, NAME_CONTRADICTION),
  },
  {
    id: 'output-schemas',
    level: 'warning',
    ...SUBMISSION,
    check: (facts) =>
      forTools(facts, ({ outputSchema }) => outputSchema === undefined, {
        met: 'Each tool has one',
        broken: 'there is no outputSchema',
        advice: 'Set outputSchema, so that models use the results more reliably',
      }),
  },
  {
    id: 'name',
    level: 'fault',
    ...ERRORS,
    check: ({ title }) => textOf(title, MAX_NAME, 'title of the server, or "title" in jetway.json'),
  },
  {
    id: 'short-description',
    level: 'fault',
    ...ERRORS,
    check: ({ jetwayJson }) =>
      textOf(jetwayJson.shortDescription, MAX_SHORT, '"shortDescription" in jetway.json'),
  },
  {
    id: 'long-description',
    level: 'fault',
    ...ERRORS,
    check: ({ jetwayJson }) =>
      textOf(jetwayJson.longDescription, MAX_LONG, '"longDescription" in jetway.json'),
  },
  {
    id: 'category',
    level: 'fault',
    ...SUBMISSION,
    check: ({ jetwayJson: { category } }) =>
      category === undefined ? broken('There is none', 'Set "category" in jetway.json') : met(category),
  },
  {
    id: 'prompts',
    level: 'fault',
    ...ERRORS,
    check({ jetwayJson: { prompts = [] } }) {
      const long = prompts.filter((prompt) => characters(prompt) > MAX_PROMPT)
      if (prompts.length <= MAX_PROMPTS && long.length === 0) return met(`${prompts.length} prompts`)
      return broken(
        prompts.length > MAX_PROMPTS
          ? `There are ${prompts.length} prompts`
          : `A prompt is longer than ${MAX_PROMPT} characters`,
        `Keep at most ${MAX_PROMPTS} prompts of ${MAX_PROMPT} characters in "prompts" of jetway.json`,
      )
    },
  },
  {
    id: 'website',
    level: 'fault',
    ...ERRORS,
    check: ({ website }) => link(website, 'website', 'the website'),
  },
  {
    id: 'support',
    level: 'fault',
    ...ERRORS,
    check: ({ jetwayJson }) => link(jetwayJson.support, 'support', 'your support'),
  },
  {
    id: 'privacy-policy',
    level: 'fault',
    ...ERRORS,
    check: ({ jetwayJson }) => link(jetwayJson.privacyPolicy, 'privacyPolicy', 'the privacy policy'),
  },
  {
    id: 'terms-of-service',
    level: 'fault',
    ...ERRORS,
    check: ({ jetwayJson }) => link(jetwayJson.termsOfService, 'termsOfService', 'the terms of service'),
  },
  {
    id: 'icon',
    level: 'fault',
    ...ERRORS,
    check({ icon }) {
      if (icon === undefined) return broken('There is no icon', 'Set "icon" in jetway.json to a square PNG')
      if (icon.size === undefined) return broken(`${icon.path} is no PNG`, 'Use a square PNG')
      const { width, height } = icon.size
      return width === height
        ? met(icon.path)
        : broken(`${icon.path} has ${width} by ${height} pixels`, 'Use a square PNG')
    },
  },
  {
    id: 'screenshots',
    level: 'warning',
    ...SUBMISSION,
    check: ({ hasView, screenshots }) => checkScreenshots(hasView, screenshots),
  },
  {
    id: 'test-cases',
    level: 'fault',
    ...ERRORS,
    check({ jetwayJson: { testCases = {} }, tools }) {
      const { positive = [], negative = [] } = testCases
      const known = new Set(tools.map(({ name }) => name))
      const unknown = positive.flatMap((each) => each.tools).filter((name) => !known.has(name))
      if (positive.length !== POSITIVE_CASES || negative.length !== NEGATIVE_CASES)
        return broken(
          `There are ${positive.length} positive and ${negative.length} negative cases`,
          `Write exactly ${POSITIVE_CASES} positive and ${NEGATIVE_CASES} negative cases into "testCases" of jetway.json`,
        )
      return unknown.length === 0
        ? met(`${POSITIVE_CASES} positive and ${NEGATIVE_CASES} negative cases`)
        : broken(
            `The server has no tool ${unknown[0]}`,
            'Name tools of the server in "testCases" of jetway.json',
          )
    },
  },
  {
    id: 'https',
    level: 'fault',
    ...SUBMISSION,
    check: ({ url }) =>
      url === undefined
        ? broken(
            'The server has no address',
            'ChatGPT reaches servers over https only: serve it over HTTP, and name its address in "remotes" of jetway.json',
          )
        : url.startsWith('https://')
          ? met(url)
          : broken(`${url} is not https`, 'Serve it over https'),
  },
  {
    id: 'domain',
    level: 'fault',
    ...SUBMISSION,
    check: () => step('Serve the challenge that the form shows, to prove that the domain is yours'),
  },
  {
    id: 'identity',
    level: 'fault',
    ...SUBMISSION,
    check: () =>
      step('Verify your identity, or that of your business, in the settings of the OpenAI platform'),
  },
]

function checkScreenshots(hasView: boolean, screenshots: readonly Image[]): Outcome {
  if (!hasView)
    return screenshots.length === 0
      ? skip('Only for servers with a view')
      : met('The server has no view, and needs none')
  if (screenshots.length === 0)
    return broken('The server has a view, and there is no screenshot', 'Set "screenshots" in jetway.json')
  const other = screenshots.find(({ size }) => size?.width !== SCREENSHOT_WIDTH)
  return other === undefined
    ? met(`${screenshots.length} screenshots`)
    : broken(
        `${other.path} is not ${SCREENSHOT_WIDTH} pixels wide`,
        `Make it ${SCREENSHOT_WIDTH} pixels wide`,
      )
}
