/** The weather data for the servers in this folder. Each server uses a different schema library. */
export interface Day {
  date: string
  high: number
  low: number
  sky: 'clear' | 'rain' | 'snow'
}

const WEEK: readonly Day[] = [
  { date: '2026-01-05', high: -2, low: -9, sky: 'clear' },
  { date: '2026-01-06', high: 0, low: -4, sky: 'snow' },
  { date: '2026-01-07', high: 3, low: 0, sky: 'rain' },
]

export function forecast(city: string, days: number, unit: 'C' | 'F' = 'C'): { city: string; days: Day[] } {
  const degrees = (celsius: number): number => (unit === 'C' ? celsius : Math.round((celsius * 9) / 5 + 32))
  const shown = WEEK.slice(0, days).map((day) => ({ ...day, high: degrees(day.high), low: degrees(day.low) }))
  return { city, days: shown }
}

export function alerts(state: string): { event: string; area: string }[] {
  return state === 'NY' ? [{ event: 'Snow squall warning', area: 'Albany' }] : []
}
