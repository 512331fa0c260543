import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runScenarios, runSuite, type Scenario } from '../conformance/suite.mjs'

/** Scenarios of the tasks extension. In some of them, a process ends a task that belongs to another process. */
const TASKS = ['tasks-lifecycle', 'tasks-mrtr-input', 'tasks-mrtr-composition', 'tasks-required-task-error']

const failed = (scenarios: readonly Scenario[]): unknown[] =>
  scenarios
    .filter(({ proven, complaints }) => complaints.length > 0 || proven.length === 0)
    .map(({ name, complaints }) => [name, complaints])

/** The time limit for all scenarios of a revision. */
const TIMEOUT_MS = 200_000

describe('the conformance suite, with requests sent to three processes in turn', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(program(new URL('./support/serve-node.ts', import.meta.url)))
  })
  afterAll(() => cluster?.stop())

  it.each([
    ['2025-11-25', 33],
    ['2026-07-28', 40],
  ])('passes at revision %s with all %i scenarios', { timeout: TIMEOUT_MS }, async (revision, count) => {
    const scenarios = await runSuite(cluster.url, revision)
    expect(failed(scenarios)).toEqual([])
    expect(scenarios).toHaveLength(count)
  })

  it('passes the task scenarios', { timeout: TIMEOUT_MS }, async () => {
    expect(failed(await runScenarios(cluster.url, TASKS))).toEqual([])
  })
})
