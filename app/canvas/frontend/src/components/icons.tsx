/** Line icons, 16 pixels, drawn here so that nothing is loaded from elsewhere. */

const PATHS = {
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7",
  redo: "m10 3 3.5 3.5L10 10m3-3.5H6.5a4 4 0 0 0 0 8H9",
  fit: "M2 6V2.5h3.5M10.5 2.5H14V6M14 10v3.5h-3.5M5.5 13.5H2V10",
  tidy: "M5.5 2h5v3h-5zM1.5 11h5v3h-5zM9.5 11h5v3h-5zM8 5v3M4 11V8h8v3",
  down: "M8 2v11M3.5 9 8 13.5 12.5 9",
  right: "M2 8h11M9 3.5 13.5 8 9 12.5",
  diverged: "M1.5 12.5h3.2l3-4.2 2.6 1.6 3.9-7.4M10.6 2.7l3.6-.2.4 3.6",
  check: "m3 8.5 3.5 3.5L13 4.5",
  error: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.6v4.2M8 11v.4",
  warning: "M8 2 1.6 13.4h12.8L8 2ZM8 6.4v3.4M8 11.4v.4",
  waiting: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8ZM8 4.5V8l2.4 1.6",
  search: "M7 2.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6ZM10.6 10.6 14 14",
  mouse: "M8 1.8a4 4 0 0 0-4 4v4.4a4 4 0 0 0 8 0V5.8a4 4 0 0 0-4-4ZM8 4.4v2.4",
  pan: "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6 2 8l2 2M12 6l2 2-2 2",
  chevron: "m6 4 4 4-4 4",
  cross: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  group: "M2 2h5v5H2zM9 9h5v5H9zM9.5 2H14v4.5M2 9.5V14h4.5",
  open: "M9.5 2.5h4v4M13.2 2.8 8.5 7.5M6.5 13.5h-4v-4M2.8 13.2 7.5 8.5",
  code: "m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9.2 3 6.8 13",
  unpack: "M5.5 5.5h5v5h-5zM2 2l2 2M14 2l-2 2M2 14l2-2M14 14l-2-2",
  swap: "M2.5 5.5h10M10 2.5l3 3-3 3M13.5 10.5h-10M6 7.5l-3 3 3 3",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4",
  link: "M9 2.5h4.5V7M13.2 2.8 7.5 8.5M6 3.5H2.5v10h10V10",
  pause: "M5 3v10M11 3v10",
  film: "M2 3h12v10H2zM5 3v10M11 3v10M2 6.3h3M2 9.6h3M11 6.3h3M11 9.6h3",
  pulse: "M1.5 8.5h3l2-5 3 9 2-4h3",
  play: "M4.5 2.8v10.4L13 8Z",
  panelLeft: "M2 2.5h12v11H2zM6 2.5v11",
  panelRight: "M2 2.5h12v11H2zM10 2.5v11",
  plus: "M8 3v10M3 8h10",
  spin: "M8 2a6 6 0 1 1-6 6",
  heat: "M8 1.8c.4 2.6 3.9 4 3.9 7.7a3.9 3.9 0 0 1-7.8 0c0-1.7.9-2.8 1.7-3.7.2 1.2.7 1.8 1.3 2C6.7 5.8 7 3.6 8 1.8Z",
  unused: "M1.5 8h4M5.5 4.5v7M10.5 4.5v7M10.5 8h4",
  frozen: "M8 1.5v13M2.4 4.75l11.2 6.5M13.6 4.75 2.4 11.25M6.3 2.4 8 4.1l1.7-1.7M6.3 13.6 8 11.9l1.7 1.7",
  pin: "M8 9.5V14M5 2.5h6M6 2.5v3.6L4 9.5h8l-2-3.4V2.5",
  pen: "M2.8 13.2l.7-3L10.8 3l2.2 2.2-7.3 7.3zM9.4 4.4l2.2 2.2",
  note: "M2.5 2.5h11v7.5l-3.5 3.5h-7.5zM13.5 10H10v3.5M5 6h6M5 8.7h3",
  alignLeft: "M2.5 2v12M5 4.5h8v2.6H5zM5 9h5v2.6H5z",
  alignCentre: "M8 2v12M3.5 4.5h9v2.6h-9zM5.2 9h5.6v2.6H5.2z",
  alignRight: "M13.5 2v12M3 4.5h8v2.6H3zM6 9h5v2.6H6z",
  alignTop: "M2 2.5h12M4.5 5v8h2.6V5zM9 5v5h2.6V5z",
  alignMiddle: "M2 8h12M4.5 3.5v9h2.6v-9zM9 5.2v5.6h2.6V5.2z",
  alignBottom: "M2 13.5h12M4.5 3v8h2.6V3zM9 6v5h2.6V6z",
  spreadAcross: "M2.5 2v12M13.5 2v12M6 5h4v6H6z",
  spreadDown: "M2 2.5h12M2 13.5h12M5 6v4h6V6z",
  paste: "M5.5 3h-2v11h9V3h-2M5.5 2h5v2.5h-5zM5.5 8h5M5.5 10.7h3",
  offline: "M2 2l12 12M3.5 8.2a6.4 6.4 0 0 1 2-1.4M12.5 8.2a6.4 6.4 0 0 0-3.4-1.8M6 11a3 3 0 0 1 4 0M8 13.4v.2",
  left: "m10 4-4 4 4 4",
  below: "m4 6 4 4 4-4",
  share: "M8 10V2M4.8 5 8 1.8 11.2 5M3 8.5v5h10v-5",
  step: "M2 3.5v9L8 8ZM10.5 3.5v9M14 3.5v9",
  dice: "M2.5 2.5h11v11h-11zM5.4 5.4h.01M10.6 5.4h.01M8 8h.01M5.4 10.6h.01M10.6 10.6h.01",
  plane: "M2.5 2v11.5H14M5 11c2.5-.5 2-5 4.5-5.5S12 4 13 3M5.5 5.5h.01M11.5 10h.01",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z",
  save: "M2.5 2.5h8.6l2.4 2.4v8.6h-11zM5 2.5V6h5V2.5M5 13.5V9.5h6v4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className={`icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill={name === "play" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
