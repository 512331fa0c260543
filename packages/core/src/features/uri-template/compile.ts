import { canonical } from './encode.ts'
import { OPERATOR_RULES } from './expand.ts'
import type { Expression, Operator, Part, VariableSpec } from './parse.ts'
import type { SpanStep, Step } from './scan.ts'
import type { ValueShape } from './values.ts'

/** How the text of one span becomes values. */
export type Reader =
  | {
      readonly kind: 'items'
      readonly variable: VariableSpec
      readonly separator: string
      readonly shape: ValueShape
    }
  | {
      readonly kind: 'pairs'
      readonly variables: ReadonlyMap<string, VariableSpec>
      readonly separator: string
    }

export interface Matcher {
  readonly steps: readonly Step[]
  /** One per span step, in order. */
  readonly readers: readonly Reader[]
}

/** What stands around an expression and decides which characters its values may hold unencoded. */
interface Surroundings {
  readonly before: string
  readonly after: string
}

/** Turns a template into the steps of the scanner. */
export function compileParts(parts: readonly Part[]): Matcher {
  const steps: Step[] = []
  const readers: Reader[] = []
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      steps.push({ kind: 'literal', text: canonical(part.text) })
      continue
    }
    const around = { before: fixedText(parts.slice(0, index)), after: fixedText(parts.slice(index + 1)) }
    if (OPERATOR_RULES[part.operator].named) {
      addPairs(part, parts[index - 1], steps, readers)
    } else {
      addItems(part, around, steps, readers)
    }
  }
  return { steps, readers }
}

/** The characters that are certain or likely to come from the template itself. */
const fixedText = (parts: readonly Part[]): string =>
  parts.map((part) => (part.kind === 'literal' ? part.text : part.operator)).join('')

function addItems(expression: Expression, around: Surroundings, steps: Step[], readers: Reader[]): void {
  const { operator, variables } = expression
  const { first, separator, reserved } = OPERATOR_RULES[operator]
  const several = variables.length > 1
  for (const [index, variable] of variables.entries()) {
    const itemSeparator = variable.explode ? separator : ''
    steps.push({
      kind: 'span',
      leads: index === 0 ? first : separator,
      separator: itemSeparator,
      // An empty list expands to nothing, and a later variable would then take over the lead.
      optional: variable.explode && (index > 0 || !several),
      take: 'shortest',
      accepts: allBut((several || variable.explode ? separator : '') + excluded(operator, around)),
    })
    const shape = reserved ? 'path' : 'segment'
    readers.push({ kind: 'items', variable, separator: itemSeparator, shape })
  }
}

/** Values must not swallow what starts the next component of the URI (RFC 3986, section 3). */
function excluded(operator: Operator, { before, after }: Surroundings): string {
  if (operator === '#') return ''
  if (operator === '+') return (after.includes('?') ? '?' : '') + (after.includes('#') ? '#' : '')
  return before.includes('?') ? '/?#&' : '/?#'
}

function addPairs(
  expression: Expression,
  previous: Part | undefined,
  steps: Step[],
  readers: Reader[],
): void {
  const { first, separator } = OPERATOR_RULES[expression.operator]
  const own = new Map(expression.variables.map((variable) => [variable.name, variable]))
  const step: SpanStep = {
    kind: 'span',
    leads: first,
    separator: '',
    optional: true,
    take: 'longest',
    accepts: allBut(separator === ';' ? '/?#' : '#'),
  }
  // {?a}{&b} is one query: names come in any order, and without `a` the expansion starts with "&".
  const earlier = readers.at(-1)
  const earlierStep = steps.at(-1)
  if (
    previous?.kind === 'expression' &&
    earlier?.kind === 'pairs' &&
    earlier.separator === separator &&
    earlierStep?.kind === 'span'
  ) {
    steps[steps.length - 1] = { ...step, leads: earlierStep.leads + first }
    readers[readers.length - 1] = { ...earlier, variables: new Map([...earlier.variables, ...own]) }
    return
  }
  steps.push(step)
  readers.push({ kind: 'pairs', variables: own, separator })
}

/** URIs are ASCII here, so that a table of 128 answers. */
function allBut(characters: string): (code: number) => boolean {
  const table = new Uint8Array(128).fill(1)
  for (const character of characters) table[character.charCodeAt(0)] = 0
  return (code) => table[code] === 1
}
