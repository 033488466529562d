import { Box } from '@mantine/core'

export type DotColor = 'green' | 'orange' | 'red' | 'grey' | 'hollow' | 'running'

/** The colour of a state, 8 px wide. The state is also written beside it. */
export function Dot({ color }: { color: DotColor }) {
  return (
    <Box
      component="span"
      w={8}
      h={8}
      display="inline-block"
      flex="none"
      style={{
        borderRadius: '50%',
        ...(color === 'hollow' || color === 'running'
          ? { boxShadow: `inset 0 0 0 2px var(--${color === 'hollow' ? 'grey' : 'accent-text'})` }
          : { background: `var(--${color})` }),
      }}
      data-dot
      aria-hidden
    />
  )
}
