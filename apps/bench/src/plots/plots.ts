import type { Report } from '../report.ts'
import type { Row, Table } from '../summary.ts'
import type { Bar, BarGroup, BarPlot } from './bars.ts'

/** One of the page's plots, and the base name of its files. */
export interface NamedPlot {
  readonly name: string
  readonly plot: BarPlot
}

/** The cases of the first plot. */
const SHARES: readonly { readonly name: string; readonly label: string }[] = [
  { name: 'text-16', label: 'tools/call' },
  { name: 'modern-text-16', label: 'tools/call, as a request of 2026-07-28' },
  { name: 'stream-text-16', label: 'tools/call, as an event stream' },
  { name: 'create-16', label: 'initialize: a session is created' },
  { name: 'notify-1000', label: 'One notification to 1,000 streams' },
]
const STARTED_TOOLS = 102

/** Returns the plots of a report. Plots without results are omitted. */
export function plotsOf(report: Report): readonly NamedPlot[] {
  const plots: readonly NamedPlot[] = [
    { name: 'share', plot: sharePlot(report) },
    { name: 'cold', plot: coldPlot(report) },
    { name: 'start', plot: startPlot(report) },
    { name: 'memory', plot: memoryPlot(report) },
  ]
  return plots.filter(({ plot }) => plot.groups.some(({ bars }) => bars.length > 0))
}

const BARE = { value: 1, label: 'the bare framework' }

function sharePlot({ tables }: Report): BarPlot {
  return {
    title: 'Work for a request',
    subtitle:
      'CPU time in units of the write system call: the bare framework’s, divided by the server’s. Longer is better.',
    groups: SHARES.flatMap(({ name, label }) => groupOf(label, tableOf(tables, name))),
    mark: BARE,
  }
}

function coldPlot({ tables }: Report): BarPlot {
  const table = tables.find(({ name }) => name.startsWith('cold-'))
  return {
    title: 'Work for a request, with cold caches',
    subtitle: 'The same, while all servers work at the same time on one processor.',
    groups: table === undefined ? [] : groupOf('tools/call', table),
    mark: BARE,
  }
}

const tableOf = (tables: readonly Table[], name: string): Table | undefined =>
  tables.find((table) => table.name === name)

function groupOf(label: string, table: Table | undefined): BarGroup[] {
  if (table === undefined) return []
  return [{ label, bars: table.rows.flatMap((row) => barOf(row)) }]
}

function barOf({ name, title, byWrite }: Row): Bar[] {
  if (byWrite === undefined) return []
  const { ratio, between } = byWrite
  return [
    {
      label: title,
      value: ratio,
      text: ratio.toFixed(2),
      isOurs: name.startsWith('jetway'),
      ...(between !== undefined && { between }),
    },
  ]
}

function startPlot({ firstAnswers }: Report): BarPlot {
  return {
    title: 'First answer of a stdio server',
    subtitle: `Time from the start of the process to the answer to initialize, with ${STARTED_TOOLS} tools. Shorter is better.`,
    groups: [
      {
        label: 'ms',
        bars: firstAnswers
          .filter(({ tools }) => tools === STARTED_TOOLS)
          .map(({ name, title, ms, ratio }) => ({
            label: title,
            value: ms,
            text: `${ms.toFixed(0)} (${ratio.toFixed(2)} ×)`,
            isOurs: name.startsWith('jetway'),
          })),
      },
    ],
  }
}

function memoryPlot({ memory }: Report): BarPlot {
  return {
    title: 'Memory of an idle session',
    subtitle: 'Resident memory. Shorter is better.',
    groups: [
      {
        label: 'KB',
        bars: memory.map(({ name, title, kilobytes }) => ({
          label: title,
          value: kilobytes,
          text: kilobytes.toFixed(1),
          isOurs: name.startsWith('jetway'),
        })),
      },
    ],
  }
}
