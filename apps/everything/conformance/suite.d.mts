/** The result of one scenario. */
export interface Scenario {
  readonly name: string
  /** The ids of the checks that it passed. */
  readonly proven: readonly string[]
  readonly complaints: readonly string[]
}

/** Runs every server scenario of a revision. */
export declare function runSuite(url: string, revision: string): Promise<readonly Scenario[]>

/** Runs these scenarios, such as those of extensions, which no revision selects. */
export declare function runScenarios(url: string, names: readonly string[]): Promise<readonly Scenario[]>
