import { describe, expect, it } from 'vitest'
import { mergeReports, replaceMeasured, toMarkdown } from '../src/report.ts'

const REPORT = {
  machine: 'a machine',
  tables: [
    {
      name: 'text-16',
      title: 'tools/call',
      rows: [
        {
          name: 'bare',
          title: 'bare',
          requestsPerSecond: 100,
          p50Ms: 1,
          p99Ms: 2,
          cpuMicros: 10,
          leastCpuMicros: 9,
        },
        {
          name: 'jetway',
          title: 'Jetway',
          requestsPerSecond: 80,
          p50Ms: 1,
          p99Ms: 2,
          cpuMicros: 12.5,
          leastCpuMicros: 12,
          perWrite: 3.25,
          base: 'bare',
          byWrite: { ratio: 0.9, between: [0.88, 0.91] as const },
          byCpu: { ratio: 0.8, between: [0.78, 0.81] as const },
          byRate: { ratio: 0.7 },
        },
      ],
    },
  ],
  imports: [],
  firstAnswers: [],
  memory: [],
}

/** Returns the cells of the table row that begins with the title. */
function cellsOf(title: string, report: Parameters<typeof toMarkdown>[0]): string[] {
  const line = toMarkdown(report)
    .split('\n')
    .find((text) => text.startsWith(`| ${title}`))
  return (line ?? '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

describe('toMarkdown', () => {
  it("shows each row's ratios, and names the baseline", () => {
    const expected = '3.25 0.90 0.88–0.91 12.5 0.80 0.78–0.81 80 1.00 2.00 bare'
    expect(cellsOf('Jetway', REPORT)).toEqual(['Jetway', ...expected.split(' ')])
  })

  it('shows the throughput before the CPU time if the servers depend on another process', () => {
    const tables = REPORT.tables.map((table) => ({ ...table, waits: true }))
    const expected = '3.25 0.90 0.88–0.91 80 0.70'
    expect(cellsOf('Jetway', { ...REPORT, tables }).slice(1, 6)).toEqual(expected.split(' '))
  })

  it('omits columns without measurements', () => {
    const [table] = REPORT.tables
    const rows = table?.rows.slice(0, 1) ?? []
    expect(cellsOf('bare', { ...REPORT, tables: [{ name: 'a', title: 'b', rows }] })).toEqual(
      'bare 10.0 100 1.00 2.00'.split(' '),
    )
  })
})

it('replaceMeasured replaces the old tables, and keeps the text around them', () => {
  const page =
    'Before\n\n<!-- measured: npm run bench -- --write -->\n\nold\n<!-- end of what was measured -->\n\nAfter\n'
  const once = replaceMeasured(page, toMarkdown(REPORT))
  expect(once).toMatch(/^Before\n/)
  expect(once).toMatch(/\nAfter\n$/)
  expect(once).not.toContain('old')
  expect(replaceMeasured(once, toMarkdown(REPORT))).toBe(once)
  expect(() => replaceMeasured('no marks', '')).toThrow('marks')
})

it('mergeReports keeps the results of cases that were not run again', () => {
  const [measured] = REPORT.tables
  const table = (name: string, title: string): (typeof REPORT.tables)[number] => ({
    ...(measured as (typeof REPORT.tables)[number]),
    name,
    title,
  })
  const memory = [{ name: 'jetway', title: 'Jetway', sessions: 1, kilobytes: 7 }]
  const earlier = { ...REPORT, tables: [table('first', 'old'), table('second', 'old')], memory }
  const later = { ...REPORT, machine: 'another', tables: [table('second', 'new'), table('third', 'new')] }
  const merged = mergeReports(earlier, later)
  expect(merged.tables.map(({ name, title }) => [name, title])).toEqual([
    ['first', 'old'],
    ['second', 'new'],
    ['third', 'new'],
  ])
  expect(merged).toMatchObject({ machine: 'another', memory })
})
