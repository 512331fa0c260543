import { expect, it } from 'vitest'
import { mergeMeasured, replaceMeasured, toMarkdown } from '../src/report.ts'

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
          base: 'bare',
          ratio: 0.8,
          between: [0.78, 0.81] as const,
        },
      ],
    },
  ],
  imports: [],
  firstAnswers: [],
  memory: [],
}

it("toMarkdown names each ratio's baseline in its table", () => {
  const line = toMarkdown(REPORT)
    .split('\n')
    .find((text) => text.startsWith('| Jetway'))
  expect(line?.split('|').map((cell) => cell.trim())).toEqual([
    '',
    'Jetway',
    '80',
    '1.00',
    '2.00',
    '12.5',
    '0.80',
    '0.78–0.81',
    'bare',
    '',
  ])
})

it('replaceMeasured replaces the old tables, and keeps the surrounding text', () => {
  const page =
    'Before\n\n<!-- measured: npm run bench -- --write -->\n\nold\n<!-- end of what was measured -->\n\nAfter\n'
  const once = replaceMeasured(page, toMarkdown(REPORT))
  expect(once).toMatch(/^Before\n/)
  expect(once).toMatch(/\nAfter\n$/)
  expect(once).not.toContain('old')
  expect(replaceMeasured(once, toMarkdown(REPORT))).toBe(once)
  expect(() => replaceMeasured('no marks', '')).toThrow('marks')
})

it('mergeMeasured keeps the tables of cases that were not measured', () => {
  const page =
    'Before\n\n<!-- measured: npm run bench -- --write -->\n\nA machine.\n\n### first\n\n1\n\n### tools/call\n\nold\n\n<!-- end of what was measured -->\n'
  const merged = mergeMeasured(page, toMarkdown({ ...REPORT, machine: 'another' }))
  expect(merged).toMatch(/A machine\.\n\n### first\n\n1\n\n### tools\/call\n\n\| {4}/)
  expect(merged).not.toMatch(/old|another/)
  const [first] = REPORT.tables
  const added = mergeMeasured(
    merged,
    toMarkdown({ ...REPORT, tables: [{ ...first, title: 'new' } as never] }),
  )
  expect(added.match(/^###.*/gm)).toEqual(['### first', '### tools/call', '### new'])
})
