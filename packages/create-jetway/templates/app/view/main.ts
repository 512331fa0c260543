import { callTool, connect, type ToolResult } from './host.ts'

interface Roll {
  readonly rolls: readonly number[]
  readonly total: number
}

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no ${id}`)
  return found
}

let count = 2

function show({ structuredContent, isError }: ToolResult): void {
  if (isError === true || structuredContent === undefined) return
  const { rolls, total } = structuredContent as Roll
  count = rolls.length
  const dice = rolls.map((roll) => {
    const die = document.createElement('li')
    // Text, never HTML: a result may have text of strangers.
    die.textContent = String(roll)
    return die
  })
  element('dice').replaceChildren(...dice)
  element('total').textContent = String(total)
}

element('again').addEventListener('click', () => {
  void callTool('roll_dice', { count }).then(show)
})

await connect('__NAME__', show)
