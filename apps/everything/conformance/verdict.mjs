/** What the runs of the suite amount to. */

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

/** Prints how each scenario went and counts. */
export class Verdict {
  #subject
  #expected
  #seen = new Set()
  /** Requirements that some run of a framework has left open, and those that one has proven. */
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

  /** Takes in one run: its title, the framework, and what `runSuite` gave. */
  add({ title, adapter, scenarios }) {
    for (const scenario of scenarios) {
      this.#seen.add(scenario.name)
      this.#judge(title, scenario)
      for (const id of scenario.proven) this.#proven.add(`${adapter} ${scenario.name} ${id}`)
      for (const [id, why] of scenario.open) this.#open.set(`${adapter} ${scenario.name} ${id}`, why)
    }
  }

  /** Says what is left over from all runs together, then the sum. @returns whether all is well */
  conclude() {
    for (const [requirement, why] of this.#open) {
      if (!this.#proven.has(requirement)) this.#complain(requirement, [`no run has tried it: ${why}`])
    }
    for (const name of this.#expected.keys()) {
      if (!this.#seen.has(name))
        this.#complain(name, ['is expected to fail, but the suite has no such scenario'])
    }
    console.log(
      `${this.#subject}: ${this.#passed} passed, ${this.#failed} failed as expected, ${this.#wrong} wrong`,
    )
    return this.#wrong === 0 && this.#passed > 0
  }

  #judge(title, { name, proven, complaints }) {
    const reason = this.#expected.get(name)
    const faults =
      proven.length > 0 || complaints.length > 0 ? complaints : ['proves nothing: no check of it says yes']
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
