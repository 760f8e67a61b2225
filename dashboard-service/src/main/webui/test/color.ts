// WCAG contrast, CIEDE2000 (Sharma, Wu, Dalal 2005) and colour-blindness by the matrices of
// Machado, Oliveira, Fernandes 2009 at severity 1, applied to linear RGB.

type Triple = [number, number, number];
export type Vision = 'normal' | 'protanopia' | 'deuteranopia' | 'tritanopia';
export const VISIONS: Vision[] = ['normal', 'protanopia', 'deuteranopia', 'tritanopia'];

const MATRICES: Record<Exclude<Vision, 'normal'>, [Triple, Triple, Triple]> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function contrast(a: string, b: string): number {
  const [light, dark] = [a, b]
    .map((hex) => dot([0.2126, 0.7152, 0.0722], linear(hex)))
    .toSorted((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Linear RGB as somebody sees it. */
export function simulate(hex: string, vision: Vision): Triple {
  const rgb = linear(hex);
  if (vision === 'normal') return rgb;
  return MATRICES[vision].map((row) => Math.min(1, Math.max(0, dot(row, rgb)))) as Triple;
}

function lab(rgb: Triple): Triple {
  const xyz = [
    dot([0.4124564, 0.3575761, 0.1804375], rgb) / 0.95047,
    dot([0.2126729, 0.7151522, 0.072175], rgb),
    dot([0.0193339, 0.119192, 0.9503041], rgb) / 1.08883,
  ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)) as Triple;
  return [116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])];
}

const rad = (degrees: number) => (degrees * Math.PI) / 180;
const hue = (b: number, a: number) => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/** CIEDE2000 between two linear RGB colours. */
export function deltaE(first: Triple, second: Triple): number {
  const [l1, a1, b1] = lab(first);
  const [l2, a2, b2] = lab(second);
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const c1 = Math.hypot(a1 * (1 + g), b1);
  const c2 = Math.hypot(a2 * (1 + g), b2);
  const h1 = hue(b1, a1 * (1 + g));
  const h2 = hue(b2, a2 * (1 + g));
  let dh = h2 - h1;
  if (Math.abs(dh) > 180) dh -= Math.sign(dh) * 360;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin(rad(dh / 2));
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  let h = (h1 + h2) / 2;
  if (Math.abs(h1 - h2) > 180) h += h < 180 ? 180 : -180;
  const t =
    1 -
    0.17 * Math.cos(rad(h - 30)) +
    0.24 * Math.cos(rad(2 * h)) +
    0.32 * Math.cos(rad(3 * h + 6)) -
    0.2 * Math.cos(rad(4 * h - 63));
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rt =
    -2 *
    Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) *
    Math.sin(rad(60 * Math.exp(-(((h - 275) / 25) ** 2))));
  const [x, y, z] = [(l2 - l1) / sl, (c2 - c1) / sc, dH / sh];
  return Math.sqrt(x * x + y * y + z * z + rt * y * z);
}
