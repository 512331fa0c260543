import { printable, printableLine, type Colour, type Terminal } from '../terminal.ts'
import type { Finding, Section } from './finding.ts'
import type { Mask } from './mask.ts'

const MARKS: Readonly<Record<Finding['verdict'], readonly [mark: string, colour: Colour]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  fault: ['✗', 'red'],
  skipped: ['-', 'dim'],
  step: ['•', 'cyan'],
}

/** Prints all sections, as text or as one document. */
export function printReport(sections: readonly Section[], terminal: Terminal, mask: Mask): void {
  const masked = sections.map(({ name, findings }) => ({
    name: mask(name),
    findings: findings.map((finding) => maskFinding(finding, mask)),
  }))
  const faults = count(masked, 'fault')
  const warnings = count(masked, 'warning')
  const steps = count(masked, 'step')
  if (terminal.json)
    return terminal.printJson({
      ok: faults === 0,
      faults,
      warnings,
      ...(steps > 0 && { steps }),
      sections: masked,
    })
  for (const section of masked) terminal.print(sectionText(section, terminal))
  terminal.print(summary({ faults, warnings, steps }))
}

const count = (sections: readonly Section[], verdict: Finding['verdict']): number =>
  sections.flatMap(({ findings }) => findings).filter((finding) => finding.verdict === verdict).length

export const hasFault = (sections: readonly Section[]): boolean => count(sections, 'fault') > 0

function maskFinding({ evidence, advice, ...finding }: Finding, mask: Mask): Finding {
  return { ...finding, evidence: mask(evidence), ...(advice !== undefined && { advice: mask(advice) }) }
}

function sectionText({ name, findings }: Section, { colour }: Terminal): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(width + 6)
  const lines = findings.flatMap(({ check, verdict, evidence, advice, source, read }) => {
    const [mark, paint] = MARKS[verdict]
    const [first = '', ...others] = printable(evidence).split('\n')
    return [
      `  ${colour(paint, mark)} ${check.padEnd(width)}  ${first}`,
      ...others.map((line) => indent + colour('dim', line)),
      ...(advice === undefined
        ? []
        : printable(`→ ${advice}`)
            .split('\n')
            .map((line) => indent + line)),
      ...(advice === undefined || source === undefined
        ? []
        : [indent + colour('dim', `${source} (read ${read})`)]),
    ]
  })
  return [colour('bold', printableLine(name)), ...lines, ''].join('\n')
}

interface Counts {
  readonly faults: number
  readonly warnings: number
  readonly steps: number
}

function summary({ faults, warnings, steps }: Counts): string {
  const left = steps === 0 ? '' : `, ${counted(steps, 'step')} for you`
  if (faults === 0 && warnings === 0) return `No fault found${left}`
  return `${counted(faults, 'fault')}, ${counted(warnings, 'warning')}${left}`
}

const counted = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`
