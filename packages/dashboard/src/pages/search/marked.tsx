import { Fragment } from 'react'
import classes from './search.module.css'

/** A text with its matches underlined. */
export function Marked(props: {
  text: string
  /** In order: start and exclusive end. */
  ranges: readonly (readonly [number, number])[]
}) {
  const { text, ranges } = props
  return (
    <>
      {ranges.map(([start, end], index) => (
        <Fragment key={start}>
          {text.slice(ranges[index - 1]?.[1] ?? 0, start)}
          <mark className={classes['mark']}>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  )
}
