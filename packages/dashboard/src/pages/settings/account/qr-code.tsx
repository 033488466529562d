import { Box } from '@mantine/core'
import { encode } from 'uqr'

/** A text as a picture that a phone reads: always dark on light. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return (
    <Box w={200} h={200} bg="white" bdrs="sm">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        width="100%"
        height="100%"
      >
        <path d={squares.join('')} fill="black" />
      </svg>
    </Box>
  )
}
