/**
 * Notes which test file runs which places. `base.mjs` inserts calls of it into sources, and processes that tests start load
 * it too. Every process appends to the same file, in which a line with a path begins the lines of a test file.
 */
const { appendFileSync } = require('node:fs')
const path = require('node:path')

const log = path.join(__dirname, 'reached.log')
let noted = new Set()
// Throws in a runtime that may not write.
appendFileSync(log, '')

exports.place = (id) => {
  if (noted.has(id)) return
  noted.add(id)
  appendFileSync(log, `${id}\n`)
}

exports.testFile = (file) => {
  noted = new Set()
  appendFileSync(log, `${Date.now()} ${file}\n`)
}
