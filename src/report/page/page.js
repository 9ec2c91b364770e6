// Sorting of tables, and values under the pointer. The page is complete without it.
(() => {
  "use strict";
  const numbers = JSON.parse(document.getElementById("numbers").textContent);
  const tip = document.querySelector(".tip");

  const bp = (n) => {
    const size = Math.abs(n);
    const digits = (x) => x.toLocaleString("en", { maximumFractionDigits: 3 });
    if (size >= 1e6) return `${digits(n / 1e6)} Mb`;
    if (size >= 1e3) return `${digits(n / 1e3)} kb`;
    return `${digits(n)} bp`;
  };
  const short = (x) => {
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-3 || size >= 1e9)) return x.toExponential(2);
    return x.toLocaleString("en", { maximumSignificantDigits: 3 });
  };

  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16;
    const top = y + 16 + box.height > innerHeight ? y - box.height - 12 : y + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  const hide = () => { tip.hidden = true; };

  // Calls look(x, y) with the pointer's place in units of the figure; it returns what to say. The
  // arrow keys move the place when the figure has the focus.
  const followed = (svg, look, start, step) => {
    const clear = () => {
      hide();
      look(null);
    };
    let place = start;
    const say = (x, y, clientX, clientY) => {
      const text = look(x, y);
      if (text) show(text, clientX, clientY); else clear();
    };
    svg.addEventListener("pointermove", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(svg.getScreenCTM().inverse());
      place = [point.x, point.y];
      say(point.x, point.y, event.clientX, event.clientY);
    });
    svg.addEventListener("pointerleave", clear);
    svg.addEventListener("blur", clear);
    svg.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (event.key === "Escape") clear();
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : 1;
      place = [place[0] + move[0] * step * far, place[1] + move[1] * step * far];
      const at = new DOMPoint(...place).matrixTransform(svg.getScreenCTM());
      say(...place, at.x, at.y);
    });
  };

  // Shades of a picture, read back from its pixels: the picture's own palette says which colour is
  // which shade.
  const shadesOf = (image) => {
    if (image.shades) return image.shades;
    const side = Number(image.ownerSVGElement.dataset.cells);
    const picture = new Image();
    image.shades = picture.decode ? (picture.src = image.getAttribute("href"), picture.decode()).then(() => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = side;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, side, side).data;
    }) : Promise.resolve(null);
    image.shades.then((data) => { image.data = data; });
    return image.shades;
  };
  const shadeOf = new Map(numbers.palette.map((colour, shade) => [colour, shade]));

  const valueText = (image, cell) => {
    if (!image.data) return "";
    const colour = (image.data[4 * cell] << 16) | (image.data[4 * cell + 1] << 8) | image.data[4 * cell + 2];
    const shade = shadeOf.get(colour);
    if (shade === undefined) return "";
    if (shade === 255) return "left out of balancing";
    const low = Number(image.dataset.low);
    const high = Number(image.dataset.high);
    const unit = image.parentNode.classList.contains("raw") ? " contacts" : " balanced";
    if (shade === 0) return `${short(low)} or less${unit}`;
    if (shade === 254) return `${short(high)} or more${unit}`;
    return `about ${short(low * (high / low) ** (shade / 254))}${unit}`;
  };

  for (const svg of document.querySelectorAll(".heatmap")) {
    const cells = Number(svg.dataset.cells);
    const [left, top, side] = svg.dataset.box.split(" ").map(Number);
    const spans = svg.dataset.spans.split(";").map((text) => {
      const [name, first, n, each, length] = text.split("|");
      return { name, first: Number(first), n: Number(n), each: Number(each), length: Number(length) };
    });
    const cursor = svg.querySelector(".cursor");
    const placeText = (cell) => {
      const span = spans.find((s) => cell < s.first + s.n);
      const from = (cell - span.first) * span.each;
      return `${span.name}: ${bp(from)} – ${bp(Math.min(from + span.each, span.length))}`;
    };
    const shown = () => [...svg.querySelectorAll("image")]
      .find((image) => getComputedStyle(image.parentNode).display !== "none");
    svg.addEventListener("pointerenter", () => shadesOf(shown()));
    svg.addEventListener("focus", () => shadesOf(shown()));
    const each = side / cells;
    followed(svg, (x, y) => {
      const column = x === null ? -1 : Math.floor((x - left) / each);
      const row = x === null ? -1 : Math.floor((y - top) / each);
      if (column < 0 || row < 0 || column >= cells || row >= cells) {
        cursor.setAttribute("width", 0);
        cursor.setAttribute("height", 0);
        return "";
      }
      cursor.setAttribute("x", left + column * each);
      cursor.setAttribute("y", top + row * each);
      cursor.setAttribute("width", each);
      cursor.setAttribute("height", each);
      const image = shown();
      shadesOf(image);
      return `${placeText(column)}\n${placeText(row)}\n${valueText(image, row * cells + column)}`;
    }, [left + side / 2, top + side / 2], each);
  }

  // Points of a figure with axes: the nearest one is marked, and text(point) is said of it.
  const pointed = (svg, pointsOf, text) => {
    const [left, top, width, height, xLow, xHigh, yLow, yHigh] = svg.dataset.plane.split(" ").map(Number);
    const isLog = svg.dataset.plane.endsWith("log");
    const spot = svg.querySelector(".spot");
    const points = pointsOf.map((point) => ({
      ...point,
      x: left + width * (isLog ? Math.log(point.along / xLow) / Math.log(xHigh / xLow)
        : (point.along - xLow) / (xHigh - xLow)),
      y: top + height - height * Math.log(point.up / yLow) / Math.log(yHigh / yLow),
    }));
    followed(svg, (x, y) => {
      let best = null;
      let nearest = 40;
      for (const point of x === null ? [] : points) {
        const far = Math.hypot(point.x - x, (point.y - y) / 2);
        if (far < nearest) [best, nearest] = [point, far];
      }
      spot.setAttribute("r", best ? 4.5 : 0);
      if (!best) return "";
      spot.setAttribute("cx", best.x);
      spot.setAttribute("cy", best.y);
      return text(best);
    }, [left + width / 2, top + height / 2], 6);
  };

  const decay = document.getElementById("decay");
  if (decay) {
    pointed(decay, numbers.levels.flatMap((level) => level.decay.map(([along, up, contacts]) => (
      { level: level.name, along, up, contacts }))),
    (point) => `${point.level} bins, ${bp(point.along)} apart\n${short(point.up)} contacts each Mb²\n${point.contacts.toLocaleString("en")} contacts`);
  }

  const variance = document.getElementById("variance");
  if (variance) {
    pointed(variance, numbers.levels.flatMap((level) => (level.variances ?? []).flatMap((up, i) => (
      up > 0 ? [{ level: level.name, along: i + 1, up }] : []))),
    (point) => `${point.level} bins, round ${point.along}\nvariance ${point.up.toPrecision(3)}`);
  }

  const track = document.getElementById("track");
  if (track) {
    const [left, top, width, height] = track.dataset.box.split(" ").map(Number);
    const { spans, coverage, masked } = numbers.track;
    const line = track.querySelector(".cursor-line");
    const each = width / coverage.length;
    followed(track, (x) => {
      const column = x === null ? -1 : Math.floor((x - left) / each);
      if (column < 0 || column >= coverage.length) {
        line.setAttribute("d", "");
        return "";
      }
      line.setAttribute("d", `M${left + (column + 0.5) * each} ${top}v${height}`);
      const span = spans.find(([, first, n]) => column < first + n);
      const width_bp = span[3] / span[2];
      const from = (column - span[1]) * width_bp;
      const rows = masked.flatMap((byRule, i) => byRule.map((row, rule) => (row[column] > 0
        ? `\n${numbers.levels[i].name}: ${short(100 * row[column])} % left out, ${numbers.rules[rule]}` : "")));
      return `${span[0]}: ${bp(Math.round(from))} – ${bp(Math.round(from + width_bp))}\n${short(coverage[column])} contacts each Mb${rows.join("")}`;
    }, [left + width / 2, top + height / 2], each);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const keyOf = (row, i) => {
      const cell = row.cells[i];
      const key = cell.dataset.sort ?? cell.textContent;
      return key !== "" && !Number.isNaN(Number(key)) ? Number(key) : key;
    };
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "descending";
        for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "ascending" : "descending");
        const sign = down ? 1 : -1;
        body.append(...[...body.rows].sort((a, b) => {
          const [p, q] = [keyOf(a, i), keyOf(b, i)];
          if (typeof p === "number" && typeof q === "number") return sign * (p - q);
          return sign * String(p).localeCompare(String(q), "en", { numeric: true });
        }));
      });
    });
  }
})();
