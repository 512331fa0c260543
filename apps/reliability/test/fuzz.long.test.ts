import { describeFuzz } from './support/describe-fuzz.ts'

describeFuzz({ parsed: 1_000_000, lines: 1_000_000, requests: 200_000 })
