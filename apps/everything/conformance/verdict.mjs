/** Compares the results of the suite with the expected failures, and prints them. */

/** @returns the scenarios that may fail, each with its reason */
function readExpected(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name, reason] = /^([\w-]+): (.+)$/.exec(line) ?? []
      if (name === undefined) throw new Error(`expected-failures.txt: no scenario and reason in "${line}"`)
      return [name, reason]
    }),
  )
}

/** Prints and counts the results of scenarios. */
export class Verdict {
  #subject
  #expected
  #seen = new Set()
  /**
   * Requirements that a run on one framework did not test, each with the reason. Another run may have
   * verified them.
   */
  #open = new Map()
  #proven = new Set()
  #passed = 0
  #failed = 0
  #wrong = 0

  /** @param expected - the text of a list of expected failures */
  constructor(subject, expected = '') {
    this.#subject = subject
    this.#expected = readExpected(expected)
  }

  /** @param run - the run's title, its framework, and the result of `runSuite` */
  add({ title, adapter, scenarios }) {
    for (const scenario of scenarios) {
      this.#seen.add(scenario.name)
      this.#judge(title, scenario)
      for (const id of scenario.proven) this.#proven.add(`${adapter} ${scenario.name} ${id}`)
      for (const [id, why] of scenario.open) this.#open.set(`${adapter} ${scenario.name} ${id}`, why)
    }
  }

  /** Prints the requirements that no run has verified, and the totals. @returns whether all passed */
  conclude() {
    for (const [requirement, why] of this.#open) {
      if (!this.#proven.has(requirement)) this.#complain(requirement, [`no run has tried it: ${why}`])
    }
    for (const name of this.#expected.keys()) {
      if (!this.#seen.has(name))
        this.#complain(name, [
          'is expected to fail, but the suite has no such scenario: remove it from expected-failures.txt',
        ])
    }
    console.log(
      `${this.#subject}: ${this.#passed} passed, ${this.#failed} failed as expected, ${this.#wrong} wrong`,
    )
    return this.#wrong === 0 && this.#passed > 0
  }

  #judge(title, { name, proven, complaints }) {
    const reason = this.#expected.get(name)
    const faults =
      proven.length > 0 || complaints.length > 0 ? complaints : ['proves nothing: none of its checks passed']
    if (reason !== undefined && faults.length === 0) {
      this.#complain(`${title} ${name}`, [
        'passes, but is expected to fail: remove it from expected-failures.txt',
      ])
    } else if (reason !== undefined) {
      this.#failed += 1
      console.log(`~ ${title} ${name} (expected: ${reason})`)
    } else if (faults.length > 0) {
      this.#complain(`${title} ${name}`, faults)
    } else {
      this.#passed += 1
      console.log(`✓ ${title} ${name}`)
    }
  }

  #complain(subject, complaints) {
    this.#wrong += 1
    console.log([`✗ ${subject}`, ...complaints.map((complaint) => `    ${complaint}`)].join('\n'))
  }
}
