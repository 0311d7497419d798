"""A table of sales summarised: one piece of analysis, a chart, a table as answer. No plan, no question."""

from bot.rehearsal.script import Demonstration, Ending, Script, Turn, python

SUMMARY = """\
import pandas as pd
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

sales = pd.read_csv("shop/sales.csv", parse_dates=["date"])
totals = sales.groupby("product")[["quantity", "revenue"]].sum().sort_values("revenue", ascending=False)
months = sales.assign(month=sales["date"].dt.to_period("M")).groupby(["month", "product"])["revenue"].sum().unstack()

figure, axes = plt.subplots(figsize=(8, 4.2), dpi=120)
months.index = months.index.astype(str)
months[totals.index].plot(ax=axes, linewidth=2)
axes.set_title("Revenue by month and product")
axes.set_xlabel("")
axes.set_ylabel("EUR")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig("revenue_by_month.png")
totals.to_csv("sales_summary.csv")

print(f"{len(sales)} rows, {len(totals)} products")
print(f"rows={len(sales)}")
print(f"from={sales['date'].min():%Y-%m-%d}; to={sales['date'].max():%Y-%m-%d}; revenue={sales['revenue'].sum():,.2f}")
for product, row in totals.iterrows():
    best = months[product].idxmax()
    print(f"product={product}; sold={int(row['quantity'])}; euro={row['revenue']:,.2f}; best={best}")
"""


def perform() -> Script:
    """The whole demonstration."""
    (found,) = yield Turn((python(SUMMARY),), "One look at shop/sales.csv.")
    whole = found.rows("from", "to", "revenue")[0]
    products = found.rows("product", "sold", "euro", "best")
    lines = [f"| {row['product']} | {row['sold']} | {row['euro']} | {row['best']} |" for row in products]
    table = "\n".join(["| Product | Sold | Revenue, EUR | Best month |", "|---|---:|---:|---|", *lines])
    return Ending(
        f"{products[0]['product']} leads with {products[0]['euro']} EUR of {whole['revenue']} EUR in all.\n\n"
        f"{table}\n\n"
        f"{found.number('rows')} rows from {whole['from']} to {whole['to']}. "
        "The chart shows the months; the table is in `sales_summary.csv`."
    )


SALES = Demonstration(
    key="sales",
    title="Summarise sales.csv with a chart",
    pattern=r"sales",
    perform=perform,
    tools=frozenset({"python_execute"}),
)
