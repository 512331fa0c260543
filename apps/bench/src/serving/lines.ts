/** Replies to lines on standard input. Each write contains the responses to all lines from one read. */
export function answerLines(answer: (line: string) => string): void {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const answered = lines.map(answer).filter((text) => text !== '')
    if (answered.length > 0) process.stdout.write(`${answered.join('\n')}\n`)
  })
}
